#!/usr/bin/env node
import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'
import './effort.ts'
import { spareParser } from '../fetch/attempt.ts'
import { runCommandLine } from './run-command-line.ts'
import { handleClosedPipes } from './terminal/terminal.ts'

/** A finished command exits after this time even when native threads are still running. */
const lingerMs = 2_000

// At its end Node.js gives terminals their settings back, and aborts (SIGABRT) where one has closed. It leaves out a stream that is closed.
const terminals = [0, 1, 2].filter((stream) => isatty(stream))
process.on('exit', () => {
  for (const stream of terminals) if (!isatty(stream)) closeSync(stream)
})
handleClosedPipes()
spareParser()
process.exitCode = await runCommandLine(process.argv.slice(2))
setTimeout(() => process.exit(), lingerMs).unref()
