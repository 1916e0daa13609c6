import { withInstants } from '#domain/time/instants.ts'
import { dayIn, minuteIn, secondIn } from '../words/times.ts'

/** Fields of answers with sentences of the service. */
const SENTENCES: ReadonlySet<string> = new Set([
  'message',
  'error',
  'detail',
  'statusDetail',
  'summary',
  'reason',
])
/** "Mon 2 Mar, 15:45 New York", with seconds unless zero; always with the day, because an answer is kept. */
const instantWords = (instant: Date): string => {
  const at = instant.getTime()
  return `${dayIn(at, 'market')}, ${(at % 60_000 === 0 ? minuteIn : secondIn)(at, 'market')} New York`
}

/** The answer with instants of its sentences in the exchange's time. */
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
