import { setFlagsFromString } from 'node:v8'

// Rows live for as long as it takes to put them into columns: a larger nursery costs 40 MB and saves no time. The flag
// counts only before the nursery has grown, so this module is imported first.
setFlagsFromString('--semi-space-growth-factor=1')

// Left alone, V8 lets the heap of a long run grow to three times what lives in it before it looks for garbage (measured:
// 148 MiB instead of 80; collecting earlier costs 3 % of the CPU time).
setFlagsFromString('--heap-growing-percent=40')
