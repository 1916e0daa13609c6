import { ApiError, type Fault } from '#contract/errors.ts'
import { readSignalRequest } from '#contract/signals/request.ts'
import { isOpening } from '#domain/signal.ts'
import type { Draft } from './draft.ts'
import { fieldOf } from './fault-fields.ts'
import { figureFault } from './figure.ts'
import type { Body, QuantityType } from './requests.ts'
import { actionOf } from './scene.ts'
import { bodyOf } from './sent.ts'

/** Words by the name of a field; the name is empty where it is not for the person to do. */
export type ByField = Readonly<Record<string, string>>

/** What the contract of the service says against a draft. */
export interface Judged {
  /** What is not said yet, in the order of the form. */
  questions: ByField
  /** What is said and cannot be. */
  faults: ByField
}

/**
 * A draft by the contract of the service, before the service is asked.
 *
 * @param held shares of the symbol, below 0 for a short position; null while that is not known
 * @param now milliseconds since the epoch, by the clock of the service
 */
export function judged(draft: Draft, held: number | null, now: number): Judged {
  const questions: Record<string, string> = {}
  const faults: Record<string, string> = {}
  // A signal says all that an order by hand does, and its other accounts are listed beside the first.
  const body = bodyOf({ ...draft, alsoIn: [] }, actionOf(draft, held))
  for (const fault of faultsIn(body, now)) {
    const field = fieldOf(fault.path)
    if (isQuestion(fault, body)) questions[field] ??= questionOf(fault, draft, body)
    else faults[field] ??= wordsOf(fault)
  }
  for (const field of PRICES) {
    // Of an entry the service takes any price, and its rules refuse one that no broker takes.
    const fault = figureFault(String(body[field] ?? ''), true)
    if (fault !== undefined) faults[field] ??= fault
  }
  if (body.sourceId === undefined) questions['sourceId'] = 'Name it: without a name it could be sent twice.'
  if (held === null && draft.effect === '')
    questions[''] = 'The positions are not read yet: what it does to them is not known.'
  return { questions, faults }
}

const PRICES = ['limitPrice', 'stopPrice', 'exitLimitPrice', 'exitStopPrice'] as const

const TIMES = ['scheduledProcessAt', 'validUntil', 'expiresAt', 'timezone']
/** Without it a browser cannot reckon with time zones, and what is wrong with a time the service says. */
const LACKS_TEMPORAL = 'document' in globalThis && !('Temporal' in globalThis)

/** As of a dry run, for which a time that is over is a fault too. */
function faultsIn(body: Body, now: number): readonly Fault[] {
  const left = LACKS_TEMPORAL ? TIMES : []
  const read = Object.entries({ ...body, dryRun: true }).filter(([name]) => !left.includes(name))
  try {
    readSignalRequest(Object.fromEntries(read), now)
    return []
  } catch (error) {
    if (error instanceof ApiError)
      return error.details.filter(({ path: [name] }) => !left.includes(String(name)))
    throw error
  }
}

/** Whether it is about something that nobody has said yet, or only begun to type. */
function isQuestion({ code, path }: Fault, body: Body): boolean {
  const said = path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], body)
  return code === 'required' || path[0] === 'quantityType' || /^-?\.?$/.test(String(said).trim())
}

const SIZE_ASKED: Readonly<Record<QuantityType, string>> = {
  fixed: 'How many shares?',
  dollarAmount: 'How many dollars?',
  percentEquity: 'How many percent of the equity?',
  riskPercent: 'How many percent of the equity may be lost at the stop?',
  riskDollars: 'How many dollars may be lost at the stop?',
  percentPosition: 'How many percent of the position?',
}

/** By the field of the body. */
const QUESTIONS: Readonly<Record<string, string>> = {
  symbol: 'Name a symbol.',
  accountId: 'Choose an account; connect a broker where there is none.',
  targetPosition: 'How many shares are to be held?',
  stopPrice: 'Name the stop price.',
  limitPrice: 'Name the limit price.',
  scheduledProcessAt: 'When is it to be sent?',
  expiresAt: 'When does the order end?',
  exitTriggerMinutes: 'How many minutes?',
  exitTriggerTime: 'At what time is the position left?',
  exitStopPrice: 'Name the stop price of the exit.',
  exitLimitPrice: 'Name the limit price of the exit.',
  protection: 'Set a stop loss, a take profit or a trailing stop.',
}

function questionOf({ path: [name = '', part = ''] }: Fault, draft: Draft, { action }: Body): string {
  if (name === 'quantity') return SIZE_ASKED[draft.quantityType]
  if (name === 'quantityType') {
    if (draft.targetPosition.trim() !== '') return 'A target position is in shares: say the size in shares.'
    return `It ${isOpening(action) ? 'opens' : 'closes'} a position: say another size.`
  }
  if (part !== '') return 'Say how far each level of the exit lies.'
  if (name === 'protection' && draft.quantityType.startsWith('risk'))
    return 'Set the stop loss that the size counts to.'
  return QUESTIONS[name] ?? 'Fill it in.'
}

/** The names of the contract that stand within its words for other fields. */
const NAMES: Readonly<Record<string, string>> = {
  scheduledProcessAt: 'the time at which it is sent',
  targetPosition: 'a target position',
  orderType: 'the order type',
  limitPrice: 'limit price',
  stopPrice: 'stop price',
}
const NAME = new RegExp(`\\b(${Object.keys(NAMES).join('|')})\\b`, 'g')

/** The words of the contract are for those who write the request: here it is written by a field with a label. */
function wordsOf({ code, path, field, message }: Fault): string {
  if (/ must be a number\b/.test(message)) return 'Enter a number, such as 1000'
  if (message === 'metadata must be an object') return 'Write it as JSON, such as {"note": "earnings"}'
  if (code === 'not_allowed' && field === 'protection')
    return 'An exit right after the fill takes all shares: set no levels beside it'
  const isOwn = fieldOf(path) === field || path.length > 1
  const told = (isOwn ? message.replace(`${field}: `, '').replace(`${field} `, '') : message)
    .replace(/ with quantityType \w+$/, '')
    .replaceAll(NAME, (name) => NAMES[name]!)
  if (told.startsWith('must ') && /price$/i.test(field)) return `A price ${told}`
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}`
}
