import { setFlagsFromString } from 'node:v8'

// Rows live only until they are in columns: a larger nursery costs 40 MB and saves no time. The flag has an effect only
// before the nursery has grown, so this module is imported first.
setFlagsFromString('--semi-space-growth-factor=1')

// By default V8 lets the heap of a long run grow to three times the live data before it collects garbage. Collecting after each growth of
// 40 % took 47 collections for 40,000 C-Chain containers. This setting takes 31: 5 % less CPU time for a few MiB more memory.
setFlagsFromString('--heap-growing-percent=100')
