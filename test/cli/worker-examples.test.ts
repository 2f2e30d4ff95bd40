import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { pipelines } from '../../pipelines/index.ts'
import { runCommand, workerCommand } from '../../src/cli/commands/export.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { readConfig } from '../config/right-config.ts'

const folder = join(packageRoot(), 'examples/workers')
const text = (name: string) => readFileSync(join(folder, name), 'utf8')
const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
const commands = { run: runCommand, worker: workerCommand }
/** A stopping worker ends well within this time. */
const endsWithinSeconds = 10

/** Expects that the words after the program name are an existing command with existing flags. */
function expectCommand([name, ...words]: readonly string[]): void {
  const command = commands[name as keyof typeof commands]
  expect(command, name).toBeDefined()
  for (const word of words.filter((each) => each.startsWith('--')))
    expect([...Object.keys(command.options), 'all'], `${name} ${word}`).toContain(word.slice(2))
}

describe('compose.yaml', () => {
  const compose = parse(text('compose.yaml'), { merge: true })
  const { worker, planner } = compose.services

  test('workers and the planner use the same image and existing commands', () => {
    expectCommand(worker.command)
    expectCommand(planner.command)
    expect(planner.image).toBe(worker.image)
    expect(Number.parseInt(worker.stop_grace_period, 10)).toBeGreaterThan(2 * endsWithinSeconds)
    // The planner is started by hand or by a schedule, never with the others.
    expect(planner.profiles).toEqual(['planner'])
    expect(planner.restart).toBe('no')
  })

  test('all volumes and dependencies of services exist', () => {
    for (const [name, service] of Object.entries<any>(compose.services)) {
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(':')
        if (source.startsWith('./')) expect(text(source), name).not.toBe('')
        else expect(Object.keys(compose.volumes), name).toContain(source)
      }
      const needed = service.depends_on ?? []
      for (const other of Array.isArray(needed) ? needed : Object.keys(needed))
        expect(Object.keys(compose.services), name).toContain(other)
    }
  })

  test('example.env has every required variable and no unused one', () => {
    const all = [...text('compose.yaml').matchAll(/(?<!\$)\$\{([A-Z0-9_]+)(:\?)?/g)]
    const known = [...text('example.env').matchAll(/^(?:# )?([A-Z0-9_]+)=/gm)].map(([, name]) => name)
    for (const [, name, isNeeded] of all) if (isNeeded !== undefined) expect(known).toContain(name)
    const used = new Set([...all.map(([, name]) => name), 'COMPOSE_PROFILES'])
    for (const name of known) expect(used).toContain(name)
  })

  test('the image has the package versions that chainlake requires', () => {
    const dockerfile = text('Dockerfile')
    for (const [name, range] of Object.entries<string>(manifest.peerDependencies)) {
      const version = new RegExp(`${name}@([0-9.]+)`).exec(dockerfile)?.[1]
      if (name !== 'avsc') expect(range.replace(/^\^/, ''), name).toMatch(new RegExp(`^${version}(\\.|$)`))
    }
    expect(dockerfile).toMatch(/^FROM node:22/m)
    expect(dockerfile).toContain('COPY chainlake-*.tgz ./\n')
    expect(dockerfile).toMatch(/npm install [^\n]* \.\/chainlake-\*\.tgz /)
    // Signals reach chainlake.
    expect(dockerfile).toContain('ENTRYPOINT ["chainlake"]')
  })
})

test('chainlake.yaml is valid', async () => {
  const config = await readConfig(join(folder, 'chainlake.yaml'), pipelines, {
    NODE_URL: 'http://127.0.0.1:1',
  })
  expect(Object.keys(config.jobs ?? {})).toContain('p-chain')
})

describe('kubernetes.yaml', () => {
  const documents = parseAllDocuments(text('kubernetes.yaml')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
  const one = (kind: string) => documents.find((document) => document.kind === kind)
  const deployment = one('Deployment')
  const job = one('CronJob')
  const schemaText = JSON.parse(
    readFileSync(join(packageRoot(), 'test/fixtures/kubernetes/cronjob.schema.json'), 'utf8'),
  )

  test('the CronJob and the pods of the Deployment are valid', () => {
    z.fromJSONSchema(schemaText).parse(job)
    const template = structuredClone(
      schemaText.properties.spec.properties.jobTemplate.properties.spec.properties.template,
    )
    // Pods of a Deployment always restart, so restartPolicy may be omitted.
    template.properties.spec.required = template.properties.spec.required?.filter(
      (name: string) => name !== 'restartPolicy',
    )
    const deployments = z.strictObject({
      apiVersion: z.literal('apps/v1'),
      kind: z.literal('Deployment'),
      metadata: z.strictObject({ name: z.string() }),
      spec: z.strictObject({
        replicas: z.int(),
        selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
        strategy: z.strictObject({
          type: z.literal('RollingUpdate'),
          rollingUpdate: z.strictObject({ maxSurge: z.int(), maxUnavailable: z.int() }),
        }),
        template: z.fromJSONSchema(template),
      }),
    })
    deployments.parse(deployment)
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels)
    expect(deployments.safeParse({ ...deployment, spec: { ...deployment.spec, replica: 4 } }).success).toBe(false)
  })

  test('workers have time to commit after a stop signal, and the planner ends before it is killed', () => {
    const { terminationGracePeriodSeconds, containers } = deployment.spec.template.spec
    expect(terminationGracePeriodSeconds).toBeGreaterThan(2 * endsWithinSeconds)
    expectCommand(containers[0].args)
    const { spec } = job.spec.jobTemplate
    const [, words = '', minutes] = /chainlake (run .*--deadline (\d+)m.*)/.exec(
      spec.template.spec.containers[0].args[0],
    )!
    expectCommand(words.split(' '))
    expect(spec.activeDeadlineSeconds).toBeGreaterThan(Number(minutes) * 60)
  })

  test('the Secret and the ConfigMap have everything that pods use', async () => {
    const secret = one('Secret')
    const map = one('ConfigMap')
    for (const { spec } of [deployment.spec.template, job.spec.jobTemplate.spec.template]) {
      for (const { valueFrom } of spec.containers[0].env) {
        const key = valueFrom?.secretKeyRef
        if (key === undefined || key.optional === true) continue
        expect(key.name).toBe(secret.metadata.name)
        expect(Object.keys(secret.stringData)).toContain(key.key)
      }
      expect(spec.volumes.map(({ configMap }: any) => configMap?.name)).toContain(map.metadata.name)
    }
    const file = join(mkdtempSync(join(tmpdir(), 'chainlake-workers-')), 'chainlake.yaml')
    writeFileSync(file, map.data['chainlake.yaml'])
    const { lake, jobs } = await readConfig(file, pipelines, {})
    expect(lake).toMatchObject({ folder: '/lake', data: expect.stringMatching(/^s3:/) })
    expect(Object.keys(jobs ?? {})).toContain('p-chain')
  })
})
