import type { Decimal } from '#domain/money/decimal.ts'
import { readArguments, UsageError } from '#local/commands/arguments.ts'

/** What a chaos run is to do. */
export interface ChaosOptions {
  /** How many different signals are sent, each twice at once. */
  signals: number
  /** Decides what is sent, what is killed and which answers are spoilt. */
  seed: number
  /** Mean milliseconds between two kills; 0 for none. */
  killEveryMs: number
  /** Mean milliseconds between two standstills of a process, and how long one lasts at most; 0 for none. */
  standEveryMs: number
  longestStandMs: number
  /** Mean milliseconds between two full stops of trading by a person; 0 for none. */
  fullStopEveryMs: number
  /** Mean milliseconds between two sales by a person at the broker's own site; 0 for none. */
  handSaleEveryMs: number
  /** Mean milliseconds between two changes of the clock of API or worker; 0 for none. */
  moveClockEveryMs: number
  /** The share of broker submissions that are answered wrongly or not at all. */
  faultRate: number
  /** Signals a second. */
  rate: number
  /** The most shares of one symbol that the account may hold, decided entries included. */
  maxPositionShares: Decimal
  /** Temporal loses all its data once, half way. */
  losesTemporal: boolean
  /** The ledger is restored from an older copy once, when three quarters are sent. */
  losesLedger: boolean
  /** Three of four signals have an exit plan. */
  isOfPlans: boolean
  /** The API has a worker in its process, beside the worker that is a process of its own. */
  hasApiWorker: boolean
  /** Milliseconds that the service has to settle after the last fault. */
  drainLimitMs: number
}

export const HELP = `npm run chaos -- [options]

Sends signals through the whole service while its processes are killed and its broker answers wrongly, waits until
nothing moves any more, and holds the ledgers of senders, service, Temporal and broker against each other. Ends with
status 1 when anything was lost, doubled, closed twice or left open.

  --signals N        how many signals, each delivered twice at once (150)
  --seed S           repeats the choices of an earlier run (random)
  --kill-every T     mean time between two kill -9 of API, worker, venue, Temporal or PostgreSQL, such as 3s;
                     0s for none (3s)
  --stand-every T    mean time between two SIGSTOPs of API, worker, Temporal, PostgreSQL, its postmaster or its backends; 0s
                     for none (8s)
  --stand-longest T  how long a process stands still at most; at least 1 s (40s)
  --full-stop-every T   mean time between two stops of all trading, of 2 to 8 s, by a person; 0s for none (30s)
  --hand-sale-every T   mean time between two sales of signals' shares at the broker's own site; 0s for none (5s)
  --move-clock-every T  mean time between two changes of the clock of API or worker by up to 15 s; 0s for none (10s)
  --fault-rate P     share of submissions to the broker that go wrong, from 0 to 1 (0.2)
  --rate R           signals a second (4)
  --max-position N   the most shares of one symbol that the account may hold (60)
  --keep-temporal    Temporal does not lose its data half way
  --keep-ledger      the ledger is not restored from an older copy when three quarters are sent
  --plans            three of four signals have an exit plan
  --no-api-worker    the API has no worker in its process, as npm start gives it
  --drain-limit T    time to settle after the last fault (90s)`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readChaosOptions(args: string[]): ChaosOptions | null {
  const values = readArguments({ args, options: OPTIONS }).values
  if (values.help) return null
  const faultRate = number('fault-rate', values['fault-rate'])
  if (faultRate > 1) throw new UsageError('--fault-rate is a share: at most 1')
  const rate = number('rate', values.rate)
  if (rate === 0) throw new UsageError('--rate must be more than 0')
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : number('seed', values.seed)
  return {
    signals: number('signals', values.signals),
    seed,
    killEveryMs: duration('kill-every', values['kill-every']),
    standEveryMs: duration('stand-every', values['stand-every']),
    longestStandMs: duration('stand-longest', values['stand-longest']),
    fullStopEveryMs: duration('full-stop-every', values['full-stop-every']),
    handSaleEveryMs: duration('hand-sale-every', values['hand-sale-every']),
    moveClockEveryMs: duration('move-clock-every', values['move-clock-every']),
    faultRate,
    rate,
    maxPositionShares: `${number('max-position', values['max-position'])}`,
    losesTemporal: !values['keep-temporal'],
    losesLedger: !values['keep-ledger'],
    isOfPlans: values.plans,
    hasApiWorker: !values['no-api-worker'],
    drainLimitMs: duration('drain-limit', values['drain-limit']),
  }
}

const OPTIONS = {
  signals: { type: 'string', default: '150' },
  seed: { type: 'string' },
  'kill-every': { type: 'string', default: '3s' },
  'stand-every': { type: 'string', default: '8s' },
  'stand-longest': { type: 'string', default: '40s' },
  'full-stop-every': { type: 'string', default: '30s' },
  'hand-sale-every': { type: 'string', default: '5s' },
  'move-clock-every': { type: 'string', default: '10s' },
  'fault-rate': { type: 'string', default: '0.2' },
  rate: { type: 'string', default: '4' },
  'max-position': { type: 'string', default: '60' },
  'keep-temporal': { type: 'boolean', default: false },
  'keep-ledger': { type: 'boolean', default: false },
  plans: { type: 'boolean', default: false },
  'no-api-worker': { type: 'boolean', default: false },
  'drain-limit': { type: 'string', default: '90s' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

function number(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new UsageError(`--${name} must be a number, not ${text}`)
  return value
}

/** Such as 3s or 500ms, in milliseconds. */
function duration(name: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text)
  if (!match) throw new UsageError(`--${name} must be a time such as 3s or 500ms, not ${text}`)
  return Number(match[1]) * (match[2] === 's' ? 1_000 : 1)
}
