import { withInstants } from '#domain/time/instants.ts'
import { dayIn, minuteIn, secondIn } from '../words/times.ts'

/** Fields of answers that hold sentences of the service. */
const SENTENCES: ReadonlySet<string> = new Set([
  'message',
  'error',
  'detail',
  'statusDetail',
  'summary',
  'reason',
])
/** "Mon 2 Mar, 15:45 New York", with seconds where there are some; always with its day, because an answer is kept. */
const instantWords = (instant: Date): string => {
  const at = instant.getTime()
  return `${dayIn(at, 'market')}, ${(at % 60_000 === 0 ? minuteIn : secondIn)(at, 'market')} New York`
}

/** An answer of the service as pages show it: instants within its sentences are those of a clock of the exchange. */
export function withReadableInstants<Answer>(answer: Answer): Answer {
  if (Array.isArray(answer)) return answer.map(withReadableInstants) as Answer
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      typeof value === 'string' && SENTENCES.has(name)
        ? withInstants(value, instantWords)
        : withReadableInstants<unknown>(value),
    ]),
  ) as Answer
}
