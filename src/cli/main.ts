#!/usr/bin/env node
import './terminal/nursery.ts'
import './terminal/compiler-effort.ts'
import { spareParser } from '../fetch/parser-effort.ts'
import { runCommandLine } from './run-command-line.ts'
import { handleClosedPipes } from './terminal/output.ts'

/** Native threads that did not end by themselves must not keep a finished command alive for longer than this. */
const lingerMs = 2_000

handleClosedPipes()
spareParser()
process.exitCode = await runCommandLine(process.argv.slice(2))
setTimeout(() => process.exit(), lingerMs).unref()
