import { parseArgs } from 'node:util'
import { addressFaults, type AddressFault, isApart, hooksOrigin } from '#api/hook/public-address.ts'
import { HELP } from './help.ts'
import { StartupError } from '../processes/startup-error.ts'

const OPTIONS = {
  'public-url': { type: 'string' },
  'webhook-url': { type: 'string' },
} as const
type Option = keyof typeof OPTIONS

/** Faults that exclude only TradingView: people may reach the service at such an address. */
const OF_SENDERS_ALONE: readonly AddressFault['code'][] = ['port', 'ipv6']

/**
 * Settings for the options of `npm start`. A service that listens only on this machine trusts a local proxy or tunnel,
 * unless TRUSTED_PROXIES says otherwise.
 *
 * @throws {StartupError} naming every fault of every option
 */
export function settingsOfOptions(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const values = readOptions(args)
  const given = Object.entries(values) as [Option, string][]
  const faults = given.flatMap(([option, text]) =>
    faultsOf(option, text).map((fault) => `  --${option}: ${fault}`),
  )
  if (faults.length > 0) throw new StartupError(`This is no address for the Internet:\n${faults.join('\n')}`)
  if (given.length === 0) return {}
  const { 'public-url': publicUrl, 'webhook-url': hooksUrl } = values
  return {
    ...(publicUrl !== undefined && { PUBLIC_URL: new URL(publicUrl).origin }),
    ...(hooksUrl !== undefined && { WEBHOOK_URL: new URL(hooksUrl).origin }),
    ...(!environment['TRUSTED_PROXIES'] && { TRUSTED_PROXIES: '127.0.0.1' }),
  }
}

function readOptions(args: readonly string[]): Partial<Record<Option, string>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n\n${HELP}`, { cause: error })
  }
}

function faultsOf(option: Option, text: string): string[] {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return ['must look like https://trader.example.com']
  const url = new URL(text)
  const { username, password, pathname, search, hash } = url
  const parts = [
    username + password !== '' &&
      'must hold no user and no password: everyone who sees the address would know them',
    pathname !== '/' && `must have no path such as ${pathname}: the service is at the root of its host`,
    search !== '' && 'must have no query',
    hash !== '' && 'must have no fragment',
  ]
  const place = addressFaults(url.origin).filter(
    ({ code }) => option === 'webhook-url' || !OF_SENDERS_ALONE.includes(code),
  )
  return [...parts.filter((fault) => fault !== false), ...place.map(({ message }) => message)]
}

/**
 * Summary about the Internet; null if the service is reachable only on this machine.
 *
 * @param here address at which the service listens, such as http://127.0.0.1:3000
 */
export function summariseOutside(settings: OutsideSettings, here: string): string | null {
  const { PUBLIC_URL = here, WEBHOOK_URL, TRUSTED_PROXIES } = settings
  const hooks = hooksOrigin({ PUBLIC_URL, WEBHOOK_URL })
  const faults = addressFaults(hooks)
  if (faults.some(({ code }) => code === 'this_machine')) return null
  const shown = isApart({ PUBLIC_URL, WEBHOOK_URL })
    ? 'nothing else is shown there'
    : 'with the web app and the API'
  const believed =
    TRUSTED_PROXIES === ''
      ? 'no proxy: every sender will seem to have the address of the proxy (TRUSTED_PROXIES)'
      : `${TRUSTED_PROXIES}, on where a request comes from: it must write X-Forwarded-For`
  return `From the Internet:

  Hooks         ${hooks}/hooks/… (${shown})
  Passed on by  a proxy or tunnel of yours, to ${here} (docs/guide/public-address.md)
  Believed      ${believed}
${faults.map(({ message }) => `  TradingView   ${message}\n`).join('')}
Check it from another network; the code HOOK_REFUSED in the answer says that it came from here:

  curl -sS -X POST ${hooks}/hooks/00000000-0000-4000-8000-000000000000/check

The web app shows when a request from outside has arrived.`
}

interface OutsideSettings {
  PUBLIC_URL?: string | undefined
  WEBHOOK_URL?: string | undefined
  TRUSTED_PROXIES: string
}
