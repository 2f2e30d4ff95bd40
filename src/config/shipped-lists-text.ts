import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageRoot } from '../lib/package.ts'

/** What `pipelines/lists.yaml` says. The bundle holds it as JSON instead of this module, since loading and running a YAML parser takes 25 ms. */
export function shippedListsText(): unknown {
  return parse(readFileSync(join(packageRoot(), 'pipelines/lists.yaml'), 'utf8'))
}
