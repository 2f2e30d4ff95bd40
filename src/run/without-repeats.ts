import type { EmitEvent } from './job/events.ts'

/** What was told once, by the listener that heard it: runs of one command share theirs. */
const told = new WeakMap<EmitEvent, Set<string>>()

/** Passes events on to a listener, but of messages that are to be told once only the first. */
export function withoutRepeats(emit: EmitEvent): EmitEvent {
  const said = told.get(emit) ?? new Set()
  told.set(emit, said)
  return (event) => {
    if ((event.kind === 'warning' || event.kind === 'notice') && event.once === true) {
      if (said.has(event.message)) return
      said.add(event.message)
    }
    emit(event)
  }
}
