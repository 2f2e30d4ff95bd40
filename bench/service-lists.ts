import { programs } from './programs.ts'
import { startServer } from './server-process.ts'
import type { Question, Subject } from './subject.ts'

/** A list of the REST service, served from rendered pages. */
function listOf(pipeline: string, args: (url: string) => Promise<readonly string[]>): Subject {
  return {
    name: pipeline,
    sizes: [10_000, 30_000],
    item: 'row',
    answers: 'pages',
    async serve(size) {
      const { url, close } = await startServer(programs.staticPages, [String(size)])
      const urls = ['--data-url', url, '--metrics-url', url, '--node-url', url]
      return {
        url,
        close,
        args: [pipeline, '--service-profile', 'devnet', '--network', 'local', ...urls, ...(await args(url))],
        rendersFirst: true,
        questions: async () => (await (await fetch(`${url}/bench/rendered`)).json()) as Question[],
      }
    },
  }
}

export const serviceLists: readonly Subject[] = [
  listOf('token-transfers', async (url) => ['--chain-id', '43112', '--contracts', await contracts(url)]),
  listOf('rest-transactions', async () => ['--blockchain', 'p-chain']),
]

async function contracts(url: string): Promise<string> {
  const answer = await fetch(`${url}/devnet/addresses?of=contracts`)
  return (await answer.text()).trim().split('\n').join(',')
}
