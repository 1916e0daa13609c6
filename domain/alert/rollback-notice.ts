import type { AlertNotice } from './alert.ts'

export interface RollbackFinding {
  found: 'ledger' | 'temporal' | 'standstill'
  /** UTC; of the restored state, or the last mark of the service. */
  markedAt: string | null
  differences: { message: string; isMended: boolean; advice: string | null }[]
  failures: string[]
}

const NAMED_DIFFERENCES = 20

const ROLLED_BACK = {
  ledger: (at: string) =>
    `The ledger was rolled back to an earlier state${at}: what was accepted after that is missing in it`,
  temporal: () => 'Temporal was rolled back to an earlier state, or has lost its data',
  standstill: (at: string) =>
    `The service was suspended${at}, and ledger, Temporal and broker disagree since`,
}

const UNDONE =
  'No position is opened until an administrator has checked what was decided after that and is undone (halts, tokens, users, broker connections, limits, signals that were called off), and lifts the halt'

export function rollbackNotice({ found, markedAt, differences, failures }: RollbackFinding): AlertNotice {
  const at = { ledger: ' of ', temporal: '', standstill: ' since ' }[found]
  const isRestored = found === 'ledger' && markedAt !== null
  const mended = differences.filter(({ isMended }) => isMended).length
  const named = differences
    .toSorted((one, other) => Number(one.isMended) - Number(other.isMended))
    .slice(0, NAMED_DIFFERENCES)
    .map(
      ({ message, isMended, advice }) =>
        `${isMended ? 'mended' : 'left'}: ${message}${advice === null ? '' : ` (${advice})`}`,
    )
  const more = differences.length - named.length
  return {
    kind: 'set_back',
    message: [
      ROLLED_BACK[found](markedAt === null ? '' : `${at}${markedAt}`),
      ...(isRestored ? [UNDONE] : []),
      differences.length === 0
        ? 'No difference was found'
        : `${differences.length} differences, ${mended} mended`,
      ...named,
      ...(more > 0 ? [`${more} more`] : []),
      ...failures,
    ].join('. '),
    data: { found, markedAt, differences, failures },
  }
}
