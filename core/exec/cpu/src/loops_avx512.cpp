#define LOCKSTEP_LOOPS kAvx512Loops
#define LOCKSTEP_LOOPS_NAME "avx512"
#include "loops.inl"
