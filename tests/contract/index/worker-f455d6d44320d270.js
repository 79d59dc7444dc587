// the worker of a stand-in
