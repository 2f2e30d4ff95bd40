import type { Page, PageChain } from '../../define/index.ts'
import type { Stretch } from '../../model.ts'
import { keepsWhole } from '../early-end.ts'
import { type ChainOptions, newChainUnit, noStretch, unitRows } from './chain-unit.ts'
import { commitUnit } from './commit-unit.ts'
import { listPages } from './list-pages.ts'
import type { ListUnit } from './list-unit.ts'
import { isYoung } from './token-age.ts'

export type PageChainOptions = ChainOptions<PageChain>

/**
 * Reads a list that has the newest first: from its head down to the newest committed stretch, then on from where each open stretch
 * stopped, to the end of the list. Where a token is dead it reads through what is known. Resolves to true when there was nothing
 * new.
 */
export async function walkPageChain(options: PageChainOptions): Promise<boolean> {
  const { stream, walk, run, context } = options
  const names = Object.values(stream.tables).map(({ name }) => name)
  /** Stretches below the one that is being read, newest first. */
  let older = [...(await run.catalog.stretches(stream.stream))]
  let current = noStretch
  let headKeys = new Set<string>()
  let unit: ListUnit = newChainUnit(options)
  let pages = 0
  let newRows = 0
  let startedMs = performance.now()
  /** Items that were read when the newest stretch below came into sight; null when it has not. */
  let touchedAt: number | null = null

  const commit = async (): Promise<void> => {
    const done = unit
    unit = newChainUnit(options)
    pages = 0
    startedMs = performance.now()
    const counted = { ...current, items: touchedAt ?? current.items }
    const stretches = [counted, ...older].filter(({ topKeys }) => topKeys.length > 0)
    const progress = { kind: 'stretches', stretches } as const
    await commitUnit(run, names, done, [{ stream: stream.stream, progress, owner: 0 }])
    newRows += done.rows()
  }
  /** Reads on from a token, or from the head; resolves to the token to jump to, or null when the list is at its end. */
  const read = async (from: string | null): Promise<string | null> => {
    const reading = { client: run.client, signal: run.stop, context, token: from, firstKeys: headKeys }
    for await (const event of listPages(walk.list, reading)) {
      if ('restarted' in event) {
        older = [{ ...current, token: null, tokenAtMs: null }, ...older].filter(({ topKeys }) => topKeys.length > 0)
        current = noStretch
        touchedAt = null
        continue
      }
      const { page } = event
      run.page()
      pages++
      if (current.topKeys.length === 0) headKeys = new Set(page.items.map(({ key }) => key))
      current = grow(current, page, options.nowMs())
      for (let passed = older[0]; isPassed(passed, page); passed = older[0]) {
        older = older.slice(1)
        const counted = touchedAt === null ? current.items : touchedAt + passed.items
        touchedAt = isBelowTop(current, older[0]) ? counted : null
      }
      const below = older[0]
      const top = below === undefined ? -1 : page.items.findIndex(({ key }) => below.topKeys.includes(key))
      if (top >= 0) touchedAt ??= current.items - page.items.length + top
      const reached = touchedAt !== null && (await isReached(below, page, unit, options))
      unit.add(page.rows)
      if (reached && below !== undefined) {
        current = joined({ ...current, items: touchedAt ?? current.items }, below)
        older = older.slice(1)
        touchedAt = isBelowTop(current, older[0]) ? current.items : null
        return current.end ? null : current.token
      }
      if (unit.isFull()) await unit.flush()
      run.emit({
        kind: 'progress',
        pipeline: run.pipeline,
        done: current.items,
        total: 0,
        rows: unit.rows(),
        bytes: 0,
      })
      if (unit.rows() >= unitRows || pages >= run.unitPages || performance.now() - startedMs > run.commitEveryMs)
        await commit()
    }
    // The list is at its end: whatever lay below has been read through.
    current = { ...current, end: true, token: null, tokenAtMs: null }
    older = []
    touchedAt = null
    return null
  }

  const before = older[0]
  try {
    for (let token = await read(null); token !== null; ) token = await read(token)
  } catch (error) {
    if (keepsWhole(error, run.stop) && current.topKeys.length > 0) await commit()
    else await unit.abort()
    throw error
  }
  await unit.flush()
  const changed = unit.rows() > 0 || before?.end !== true
  if (changed && current.topKeys.length > 0) await commit()
  else await unit.abort()
  return newRows === 0
}

/** The stretch with a page more. */
function grow(stretch: Stretch, page: Page, nowMs: number): Stretch {
  const keys = page.items.map(({ key }) => key)
  const [first, last] = [page.items[0], page.items.at(-1)]
  const token = { token: page.next, tokenAtMs: page.next === null ? null : nowMs }
  if (first === undefined || last === undefined) return { ...stretch, ...token }
  const top = stretch.topKeys.length === 0 ? { topKeys: keys, topTime: first.time } : {}
  const items = stretch.items + keys.length
  return { ...stretch, ...top, ...token, bottomKeys: keys, bottomTime: last.time, items }
}

/** Two stretches that touch as one. */
function joined(upper: Stretch, lower: Stretch): Stretch {
  const { bottomKeys, bottomTime, token, tokenAtMs, end, items } = lower
  return { ...upper, bottomKeys, bottomTime, token, tokenAtMs, end, items: upper.items + items }
}

/** Whether a stretch goes on below the top of another: it was read so far, and no further, when a run ended. */
function isBelowTop({ bottomTime }: Stretch, lower: Stretch | undefined): boolean {
  return lower !== undefined && bottomTime !== null && lower.topTime !== null && bottomTime < lower.topTime
}

/** Whether a page shows the lower end of a stretch: all of it has been read through. */
function isPassed(stretch: Stretch | undefined, page: Page): stretch is Stretch {
  if (stretch === undefined || stretch.end) return false
  return page.items.some(({ key }) => stretch.bottomKeys.includes(key))
}

function isAlive({ token, tokenAtMs }: Stretch, nowMs: number): boolean {
  return token !== null && isYoung(tokenAtMs, nowMs)
}

/**
 * Whether reading may go on at the lower end of a stretch that has come into sight: all rows of a page are known, and it lies so
 * far below the stretch's top that nothing comes late there any more. Times alone never say so.
 */
async function isReached(
  stretch: Stretch | undefined,
  page: Page,
  unit: ListUnit,
  { walk, nowMs }: PageChainOptions,
): Promise<boolean> {
  const first = page.items[0]
  if (stretch === undefined || first === undefined || page.next === null) return false
  if (!stretch.end && !isAlive(stretch, nowMs())) return false
  const late = first.time !== null && stretch.topTime !== null && first.time >= stretch.topTime - walk.trailing
  return !late && unit.holdsAll(page.rows)
}
