export interface Difference {
  key: string
  from: 'temporal' | 'broker'
  accountId: string | null
  message: string
  advice: string
}

export const SYNCED = 'the service takes it up with the next sync of the account'

export interface Failure {
  accountId: string | null
  message: string
  /** The service has not read its executions for the first time yet, and will. */
  isOfNewAccount?: true
}

export interface Comparison {
  differences: Difference[]
  /** Orders that the ledger lacks and a person has acknowledged, which are none of the differences. */
  acknowledged: number
  failures: Failure[]
  workflows: number
  accounts: number
  orders: number
  executions: number
}

export const EMPTY: Comparison = {
  differences: [],
  acknowledged: 0,
  failures: [],
  workflows: 0,
  accounts: 0,
  orders: 0,
  executions: 0,
}

export const together = (parts: readonly Comparison[]): Comparison =>
  parts.reduce(
    (sum, part) => ({
      differences: [...sum.differences, ...part.differences],
      acknowledged: sum.acknowledged + part.acknowledged,
      failures: [...sum.failures, ...part.failures],
      workflows: sum.workflows + part.workflows,
      accounts: sum.accounts + part.accounts,
      orders: sum.orders + part.orders,
      executions: sum.executions + part.executions,
    }),
    EMPTY,
  )

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
