import type { Client, ClientBase } from 'pg'

/** Keeps what is written to a connection in this turn of the program, and writes it as one: each write is a call of the system, and a packet. */
export function sendTogether(client: ClientBase): void {
  const { stream } = (client as Client).connection
  stream.cork()
  // Behind all promises that are kept already: their works write, too.
  queueMicrotask(() => process.nextTick(() => stream.uncork()))
}
