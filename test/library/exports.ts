import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../src/lib/package.ts'

/** An exported name, the file that declares it, and whether a docstring is in front of its declaration. */
export type Exported = {
  readonly name: string
  readonly path: string
  readonly isType: boolean
  readonly isDocumented: boolean
}

/** Everything that a module exports, also through other modules. Names of a namespace follow its name: `fields.text`. */
export function exportsOf(path: string): Exported[] {
  const text = readFileSync(join(packageRoot(), path), 'utf8')
  const passedOn = [...text.matchAll(/^export (type )?(?:\*(?: as (\w+))?|\{([^}]*)\}) from '([^']+)'/gm)].flatMap(
    ([, type, namespace, names, from = '']) => {
      const inner = exportsOf(join(dirname(path), from))
      if (names === undefined)
        return inner.map((each) => ({
          ...each,
          name: namespace === undefined ? each.name : `${namespace}.${each.name}`,
        }))
      return names.split(',').flatMap((entry) => {
        const [declared = '', name = declared] = entry
          .trim()
          .replace(/^type /, '')
          .split(' as ')
        if (name === '') return []
        const found = inner.find((each) => each.name === declared)
        if (found === undefined) throw new Error(`${path} exports ${declared}, which ${from} does not declare.`)
        return [{ ...found, name, isType: found.isType || type !== undefined }]
      })
    },
  )
  const pattern = /^export (?:async )?(?:(class|type|const|function) (\w+)|const \{([^}]*)\})/gm
  const own = [...text.matchAll(pattern)].flatMap(({ 0: _, 1: kind, 2: one, 3: several, index }) => {
    const names =
      one === undefined ? [...several!.matchAll(/(\w+)(?= *(?:,|$|\}))/g)].map(([name]) => name.trim()) : [one]
    const isDocumented = text.slice(0, index).trimEnd().endsWith('*/')
    return names.map((name) => ({ name, path, isType: kind === 'type', isDocumented }))
  })
  return [...passedOn, ...own]
}
