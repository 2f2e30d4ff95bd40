import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ProfileSettings, withProfileText } from '../../config/profiles.ts'
import type { ServiceSettings } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'
import { redactUrl } from '../../fetch/base-url.ts'
import { pathFrom } from '../../lib/files/path-from.ts'
import { type ServiceProfile, serviceSettings } from '../../sources/service-profile.ts'
import { suggestion } from '../terminal/suggest.ts'
import { apiKeyVariable } from './environment.ts'
import { parseNodeUrl } from './numbers.ts'
import type { Settings } from './settings.ts'
import { type SettingFlags, typedValue } from './typed-value.ts'

type Configured = Pick<Settings, 'service' | 'configPath'>

/** The profile that flags, environment and chainlake.yaml choose, with the settings that they override. Throws `ConfigError`. */
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
  const joined = withProfileText(profile, service, (path) => pathFrom(folder, path))
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

/** The profile with its URLs and its key, ready for requests. Throws `ConfigError` when one of them is missing. */
export async function serviceProfile(
  settings: ProfileSettings,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServiceProfile> {
  const { keyEnv, keyFile, ...profile } = settings
  const { dataUrl, metricsUrl, name } = profile
  if (dataUrl === null)
    throw new ConfigError(`The profile ${name} has no URL of the service.`, {
      code: 'config.data-url',
      hint: 'Give --data-url, or service: { data-url: … } in chainlake.yaml. Add --metrics-url when the metrics host has another URL.',
    })
  return { ...profile, dataUrl, metricsUrl: metricsUrl ?? dataUrl, key: await keyOf(keyEnv, keyFile, env) }
}

/** The part of a profile that pipelines need: without URLs and key. */
export function rulesOf({ keyEnv: _, keyFile: __, ...profile }: ProfileSettings): ServiceSettings {
  return serviceSettings({ ...profile, dataUrl: '', metricsUrl: '', key: null })
}

/** A profile without secrets: URLs are redacted, and only the source of the key is named. */
export function shownProfile(
  { keyEnv, keyFile, dataUrl, metricsUrl, ...profile }: ProfileSettings,
  env: NodeJS.ProcessEnv = process.env,
) {
  const key = env[apiKeyVariable] ? apiKeyVariable : (keyEnv ?? keyFile)
  return {
    ...profile,
    // Scripts may still read the old name, from when there was only one field.
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
      hint: 'Set it to the API key, or remove key-env to send requests without a key.',
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
      hint: 'Write the API key into this file, readable only by you, or remove key-file to send requests without a key.',
      cause,
    })
  }
}

/** Checks that a header can carry the key: visible ASCII characters only. The error never shows the key. */
function checkedKey(text: string, source: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ConfigError(`${source} does not hold an API key: ${key === '' ? 'it is empty' : 'a key is one word'}.`, {
    code: 'config.key',
    hint: 'Put only the key there.',
  })
}
