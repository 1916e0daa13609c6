import type { AccessToken, Account, BrokerConnection } from '#client/types.ts'

/** What an installation has of what it takes to trade; undefined while it is not known. */
interface Have {
  brokers: readonly BrokerConnection[] | undefined
  accounts: readonly Account[] | undefined
  tokens: readonly AccessToken[] | undefined
  hasSignal: boolean | undefined
}

export type StepName = 'broker' | 'account' | 'token' | 'signal'
interface Step {
  name: StepName
  isDone: boolean
  /** The first that is not done. */
  isNext: boolean
}

/** The steps from an empty installation to a first signal; null while one of them is not known. */
export function stepsOf({ brokers, accounts, tokens, hasSignal }: Have): Step[] | null {
  if (!brokers || !accounts || !tokens || hasSignal === undefined) return null
  const done: Record<StepName, boolean> = {
    broker: brokers.length > 0,
    account: accounts.some(({ lastSyncedAt }) => lastSyncedAt !== null),
    token: tokens.some(({ kind, isExpired }) => kind !== 'desktop' && !isExpired),
    signal: hasSignal,
  }
  const names = Object.keys(done) as StepName[]
  const next = names.find((name) => !done[name])
  return names.map((name) => ({ name, isDone: done[name], isNext: name === next }))
}
