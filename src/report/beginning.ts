import { shellText } from '../lib/text/visible-text.ts'
import type { PageData } from './data/page-data.ts'

/** The first steps that the page of a lake without data shows. */
export function beginning(lakeDir: string): PageData['beginning'] {
  const lake = `--lake ${shellText(lakeDir)}`
  return [
    { says: 'Look at a simulated network first, with every kind of table:', command: `chainlake demo ${lake}` },
    {
      says: 'With a node that runs with --index-enabled, see what a run would meet, and export its P chain:',
      command: `chainlake doctor p-blocks --node-url http://127.0.0.1:9650 ${lake}\nchainlake run p-blocks --node-url http://127.0.0.1:9650 ${lake}`,
    },
    { says: 'For more than one job, write a configuration with every key explained:', command: 'chainlake init' },
    {
      says: 'Then make this page again, or have each run renew it:',
      command: `chainlake report ${lake}\nchainlake run --all --report report.html ${lake}`,
    },
  ]
}
