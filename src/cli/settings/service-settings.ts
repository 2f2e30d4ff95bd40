import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type ProfileSettings, withProfileText } from '../../config/profiles.ts'
import type { ServiceSettings } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { redactUrl } from '../../fetch/base-url.ts'
import { type ServiceProfile, serviceSettings } from '../../sources/service-profile.ts'
import { suggestion } from '../terminal/suggest.ts'
import { apiKeyVariable } from './environment.ts'
import { parseNodeUrl } from './numbers.ts'
import type { Settings } from './settings.ts'
import { type SettingFlags, typedValue } from './typed-value.ts'

type Configured = Pick<Settings, 'service' | 'configPath'>

/** The profile that flags, environment and chainlake.yaml choose, with what they say besides. Throws `ConfigError`. */
export async function profileSettings(
  flags: SettingFlags,
  { service, configPath }: Configured,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ProfileSettings> {
  const folder = configPath === null ? '.' : dirname(configPath)
  const typed = typedValue('service-profile', flags)?.text
  const { readProfile } = await import('../../config/read-profile.ts')
  const profile = await readProfile(typed ?? service.profile ?? 'devnet', typed === undefined ? folder : '.', {
    suggest: suggestion,
    env,
  })
  const joined = withProfileText(profile, service, (path) => resolve(folder, path))
  const url = (flag: 'data-url' | 'metrics-url', otherwise: string | null): string | null => {
    const given = typedValue(flag, flags)
    if (given !== undefined) return parseNodeUrl(given.source, given.text)
    return otherwise === null ? null : parseNodeUrl(`service.${flag}`, otherwise)
  }
  return {
    ...joined,
    dataUrl: url('data-url', joined.dataUrl),
    metricsUrl: url('metrics-url', joined.metricsUrl),
  }
}

/** The profile with its URLs and its key, ready to be asked. Throws `ConfigError` when one of them cannot be had. */
export async function serviceProfile(
  settings: ProfileSettings,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceProfile> {
  const { keyEnv, keyFile, ...profile } = settings
  const { dataUrl, metricsUrl, name } = profile
  if (dataUrl === null)
    throw new ConfigError(`The profile ${name} does not say where the service is.`, {
      code: 'config.data-url',
      hint: 'Give --data-url (and --metrics-url when the metrics host is another one), or service: { data-url: … } in chainlake.yaml.',
    })
  return { ...profile, dataUrl, metricsUrl: metricsUrl ?? dataUrl, key: await keyOf(keyEnv, keyFile, env) }
}

/** What pipelines must know of a profile; its URLs and its key are not needed. */
export function rulesOf({ keyEnv: _, keyFile: __, ...profile }: ProfileSettings): ServiceSettings {
  return serviceSettings({ ...profile, dataUrl: '', metricsUrl: '', key: null })
}

/** A profile as people may see it: URLs without secrets, and of the key only where it comes from. */
export function shownProfile(
  { keyEnv, keyFile, dataUrl, metricsUrl, ...profile }: ProfileSettings,
  env: NodeJS.ProcessEnv = process.env,
) {
  const key = env[apiKeyVariable] ? apiKeyVariable : (keyEnv ?? keyFile)
  return {
    ...profile,
    // Scripts may know the field by the name of when there was one only.
    signingSubnetField: profile.signingSubnetFields[0],
    dataUrl: dataUrl === null ? null : redactUrl(dataUrl),
    metricsUrl: metricsUrl === null && dataUrl === null ? null : redactUrl(metricsUrl ?? dataUrl ?? ''),
    keyFrom: key,
  }
}

async function keyOf(keyEnv: string | null, keyFile: string | null, env: NodeJS.ProcessEnv): Promise<string | null> {
  const direct = env[apiKeyVariable]
  if (direct) return checkedKey(direct, apiKeyVariable)
  if (keyEnv !== null) {
    const named = env[keyEnv]
    if (named) return checkedKey(named, keyEnv)
    throw new ConfigError(`The environment variable ${keyEnv}, which key-env names, is not set.`, {
      code: 'config.key',
      hint: `Set it to the API key, or take key-env out to ask without a key.`,
    })
  }
  return keyFile === null ? null : checkedKey(await readKey(keyFile), keyFile)
}

async function readKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(`The key file ${path} cannot be read.`, {
      code: 'config.key',
      details: { reason: (cause as NodeJS.ErrnoException).code },
      hint: 'Write the API key into it, readable by you only, or take key-file out to ask without a key.',
      cause,
    })
  }
}

/** What a header can carry: visible characters. The key itself is never shown. */
function checkedKey(text: string, source: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ConfigError(`${source} holds no API key: ${key === '' ? 'it is empty' : 'a key is one word'}.`, {
    code: 'config.key',
    hint: 'Put the key there and nothing else.',
  })
}
