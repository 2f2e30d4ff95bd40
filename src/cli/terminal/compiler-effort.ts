import { setFlagsFromString } from 'node:v8'

// Left alone, V8 optimizes what has run for a millisecond or two, on threads beside, which takes it some ten times as long: of the 4.5 CPU
// seconds of a list of 41,000 rows 1.1. So functions run eight times as long before; with what src/write/encoder-module.ts sets, 0.4 are left.
// The V8 of Node 22 and later counts calls instead and has no such flag: it would say so on stderr at each start.
if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString('--interrupt-budget=540672')
