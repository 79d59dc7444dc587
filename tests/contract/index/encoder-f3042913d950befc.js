// the encoder of a stand-in
