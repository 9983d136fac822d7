// A driver from before stream capture.
extern "C" int cuInit(unsigned) { return 0; }
