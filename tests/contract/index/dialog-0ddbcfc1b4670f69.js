// the dialog of a stand-in
