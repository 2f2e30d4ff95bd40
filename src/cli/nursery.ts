import { setFlagsFromString } from 'node:v8'

// Rows live for as long as it takes to put them into columns: a larger nursery costs 40 MB and saves no time. The flag
// counts only before the nursery has grown, so this module is imported first.
setFlagsFromString('--semi-space-growth-factor=1')
