import type { AlertNotice } from './alert.ts'

/** The store that was set back, and the differences in an account then. */
export interface SetBackFinding {
  found: 'ledger' | 'temporal' | 'standstill'
  /** UTC instant of which the ledger is, or until which the service worked; null when that is not known. */
  markedAt: string | null
  /** `advice`: what a person can do about one that is not mended. */
  differences: { message: string; isMended: boolean; advice: string | null }[]
  /** The parts that could not be compared or mended, in words. */
  failures: string[]
}

/** Differences that the words of one alert name. */
const NAMED_DIFFERENCES = 20

const SET_BACK = {
  ledger: (at: string) =>
    `The ledger was set back to an earlier state${at}: what was accepted after that is missing in it`,
  temporal: () => 'Temporal was set back to an earlier state, or has lost its data',
  standstill: (at: string) =>
    `The service had stood still${at}, and ledger, Temporal and broker say different things since`,
}

const UNDONE =
  'No position is opened until an administrator has checked what was decided after that and is undone (halts, tokens, users, broker connections, limits, signals that were called off), and lifts the halt'

/** The records of an account were compared after a store had been set back. */
export function setBackNotice({ found, markedAt, differences, failures }: SetBackFinding): AlertNotice {
  const at = { ledger: ' of ', temporal: '', standstill: ' since ' }[found]
  const isRestored = found === 'ledger' && markedAt !== null
  const mended = differences.filter(({ isMended }) => isMended).length
  // Differences that need a person are named before the others.
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
      SET_BACK[found](markedAt === null ? '' : `${at}${markedAt}`),
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
