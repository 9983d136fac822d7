// A shared library that is none of ours.
extern "C" int nothing() { return 0; }
