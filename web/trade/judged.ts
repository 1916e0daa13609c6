import { ApiError, type Fault } from '#contract/errors.ts'
import { readSignalRequest } from '#contract/signal/request.ts'
import { isOpening } from '#domain/signal/signal.ts'
import type { Draft } from './draft.ts'
import { figureFault } from './figure.ts'
import type { Body } from './requests.ts'
import { ALL_SIZES, fieldOf } from './rules.ts'
import { bodyOf } from './sent.ts'

/**
 * Checks a draft by the service's contract: questions for missing values, faults for impossible ones. Both are words by
 * field name, which is empty if the person cannot correct them.
 *
 * @param held shares of the symbol, below 0 for a short position; null while unknown
 * @param now milliseconds since the epoch, by the clock of the service
 */
export function judged(draft: Draft, held: number | null, now: number) {
  const questions: Record<string, string> = {}
  const faults: Record<string, string> = {}
  // A signal can say all that a manual order does, and further accounts come from a list.
  const body = bodyOf({ ...draft, alsoIn: [] }, held)
  for (const fault of faultsIn(body, now)) {
    const field = fieldOf(fault.path)
    if (isQuestion(fault, body)) questions[field] ??= questionOf(fault, draft, body)
    else faults[field] ??= wordsOf(fault)
  }
  for (const field of ['limitPrice', 'stopPrice', 'exitLimitPrice', 'exitStopPrice'] as const) {
    // The contract permits any price; the rules deny one that no broker accepts.
    const fault = figureFault(String(body[field] ?? ''), true)
    if (fault !== undefined) faults[field] ??= fault
  }
  if (body.sourceId === undefined) questions['sourceId'] = 'Enter a name, so that it cannot be sent twice.'
  if (held === null && draft.effect === '') questions[''] = 'The positions are not loaded yet.'
  return { questions, faults }
}

/** Without JavaScript's Temporal a browser cannot compute time zones: only the service checks a request with times. */
const LACKS_TEMPORAL = 'document' in globalThis && !('Temporal' in globalThis)

/** Faults as in a dry run, where a past time is a fault too. */
function faultsIn(body: Body, now: number): readonly Fault[] {
  if (LACKS_TEMPORAL && body.timezone !== undefined) return []
  try {
    readSignalRequest({ ...body, dryRun: true }, now)
    return []
  } catch (error) {
    if (error instanceof ApiError) return error.details
    throw error
  }
}

/** Whether the value is missing, or only begun. */
function isQuestion({ code, path }: Fault, body: Body): boolean {
  const said = path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], body)
  return code === 'required' || path[0] === 'quantityType' || /^-?\.?$/.test(String(said).trim())
}

const NAMES: Readonly<Record<string, string>> = {
  scheduledProcessAt: 'time of sending',
  expiresAt: 'time at which the order ends',
  exitTriggerMinutes: 'minutes of the exit',
  protection: 'levels of the exit',
}
const named = (field: string): string =>
  NAMES[field] ?? field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function questionOf({ path: [field = '', ...part] }: Fault, draft: Draft, { action }: Body): string {
  const { quantityType, targetPosition } = draft
  if (field === 'accountId') return 'Choose an account; connect a broker where there is none.'
  if (field === 'quantity') return `How many ${ALL_SIZES[quantityType].toLowerCase()}?`
  if (field === 'quantityType' && targetPosition.trim() !== '')
    return 'A target position is in shares: choose shares as the size.'
  if (field === 'quantityType')
    return `It ${isOpening(action) ? 'opens' : 'closes'} a position: choose another size.`
  if (field === 'protection' && part.length === 0 && quantityType.startsWith('risk'))
    return 'Set the stop loss that the size is based on.'
  return `Enter the ${named(String(field))}.`
}

/** The contract addresses authors of request bodies, the form has labelled fields. */
function wordsOf({ code, path, field, message }: Fault): string {
  if (/ must be a number\b/.test(message)) return 'Enter a number, such as 1000'
  if (message === 'metadata must be an object') return 'Write it as JSON, such as {"note": "earnings"}'
  if (code === 'not_allowed' && field === 'protection')
    return 'An exit right after the fill takes all shares: set no levels beside it'
  const isOwn = path.length > 1 || fieldOf(path) === field
  const told = (isOwn ? message.replace(`${field}: `, '').replace(`${field} `, '') : message)
    .split(' with quantityType ')[0]!
    .replaceAll(/\w+/g, (word) => (/^[a-z]/.test(word) ? named(word) : word))
  if (told.startsWith('must ') && /price$/i.test(field)) return `A price ${told}`
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}`
}
