import { setFlagsFromString } from 'node:v8'

// By default V8 lets the heap of a long run grow to three times the live data before it collects garbage. Collecting after each growth of
// 40 % took 47 collections for 40,000 C-Chain containers. This setting takes 31: 5 % less CPU time for a few MiB more memory.
setFlagsFromString('--heap-growing-percent=100')
