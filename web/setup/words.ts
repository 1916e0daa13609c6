import type { AccessToken, Account, BrokerConnection, Hook, Strategy } from '#client/types.ts'
import { DEMO_TOKEN } from '#domain/account/demo.ts'
import { number } from '../words/figures.ts'

/** Undefined while unknown. */
interface Have {
  brokers: readonly BrokerConnection[] | undefined
  accounts: readonly Account[] | undefined
  tokens: readonly AccessToken[] | undefined
  hooks: readonly Hook[] | undefined
  hasSignal: boolean | undefined
  /** Whether the subscription plan permits access tokens; without them signals are written by hand. */
  holdsTokens: boolean
}

export type StepName = 'broker' | 'account' | 'sender' | 'signal'
interface Step {
  name: StepName
  isDone: boolean
  /** Whether it is the first step that is not done. */
  isNext: boolean
}

/** Steps to a first signal; null while one is unknown. */
export function stepsOf({ brokers, accounts, tokens, hooks, hasSignal, holdsTokens }: Have): Step[] | null {
  if (!brokers || !accounts || !tokens || !hooks || hasSignal === undefined) return null
  const done: Record<StepName, boolean> = {
    broker: brokers.length > 0,
    account: accounts.some(({ lastSyncedAt }) => lastSyncedAt !== null),
    sender: hooks.length > 0 || tokens.some((token) => isUsable(token) && token.label !== DEMO_TOKEN),
    signal: hasSignal,
  }
  const names = (Object.keys(done) as StepName[]).filter((name) => name !== 'sender' || holdsTokens)
  const next = names.find((name) => !done[name])
  return names.map((name) => ({ name, isDone: done[name], isNext: name === next }))
}

const isUsable = ({ kind, isExpired }: AccessToken): boolean => kind !== 'desktop' && !isExpired

const count = (of: number, one: string, many: string): string =>
  of === 0 ? `no ${one} yet` : of === 1 ? `1 ${one}` : `${number(of)} ${many}`

/** State of the broker connections in a few words; empty while unknown. */
export function brokersNote(brokers: readonly BrokerConnection[] | undefined): string {
  if (!brokers) return ''
  const failing = brokers.filter(({ status }) => status === 'error').length
  const all = count(brokers.length, 'connection', 'connections')
  return failing === 0 ? all : `${all}, ${failing === brokers.length ? '' : `${failing} `}failing`
}

export const accountsNote = (
  accounts: readonly Account[] | undefined,
  mode: 'PAPER' | 'LIVE' | undefined,
): string =>
  accounts && mode
    ? `${count(accounts.length, 'account', 'accounts')}, ${mode === 'LIVE' ? 'real money' : 'on paper'}`
    : ''

export function strategiesNote(strategies: readonly Strategy[] | undefined): string {
  if (!strategies) return ''
  const paused = strategies.filter(({ status }) => status === 'paused').length
  return `${count(strategies.length, 'strategy', 'strategies')}${paused > 0 ? `, ${number(paused)} paused` : ''}`
}

/** Number of hooks, and of those whose last request was refused. */
export function hooksNote(hooks: readonly Hook[] | undefined): string {
  if (!hooks) return ''
  const refusing = hooks.filter(isRefusing).length
  return `${count(hooks.length, 'hook', 'hooks')}${refusing > 0 ? `, ${number(refusing)} refusing` : ''}`
}

/** Whether a hook's last request was refused. */
const isRefusing = ({ lastRefusal, lastAcceptedAt }: Hook): boolean =>
  lastRefusal !== null && (lastAcceptedAt === null || lastRefusal.at > lastAcceptedAt)

/** Number of tokens in use; a desktop's token is a session. */
export const tokensNote = (tokens: readonly AccessToken[] | undefined): string =>
  tokens ? count(tokens.filter(isUsable).length, 'token', 'tokens') : ''
