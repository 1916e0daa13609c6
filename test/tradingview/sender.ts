import { setTimeout as sleep } from 'node:timers/promises'

/** How TradingView sends, in milliseconds. */
export interface SendingTimes {
  /** A request that is not answered by then is given up. */
  givenUpAfter: number
  /** From an answer of 500 to 599 to the next try. */
  repeatedAfter: number
}

/** As its help tells: "canceled after 3 seconds", "sent again after 5 seconds". */
export const TRADING_VIEW: SendingTimes = { givenUpAfter: 3_000, repeatedAfter: 5_000 }
const REPETITIONS = 3

/** One request: the status of its answer, or null when there was none. */
export interface Try {
  status: number | null
  /** The answer's body as text. */
  answer: string
  tookMs: number
}

/** Posts a message as TradingView does; the tries that it took, of which the last one decides. */
export async function send(url: string, message: string, times = TRADING_VIEW): Promise<Try[]> {
  const tries: Try[] = []
  for (;;) {
    const one = await post(url, message, times.givenUpAfter)
    tries.push(one)
    if (!isRepeated(one.status) || tries.length > REPETITIONS) return tries
    await sleep(times.repeatedAfter)
  }
}

/** 504 is left out; a time-out, a refused connection and every 4xx are final. */
const isRepeated = (status: number | null): boolean =>
  status !== null && status >= 500 && status <= 599 && status !== 504

async function post(url: string, message: string, givenUpAfter: number): Promise<Try> {
  const sentAt = performance.now()
  const tookMs = (): number => performance.now() - sentAt
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: message,
      headers: {
        'content-type': `${isJson(message) ? 'application/json' : 'text/plain'}; charset=utf-8`,
        // One that is kept open is closed by its server in the moment of the next alert.
        connection: 'close',
      },
      signal: AbortSignal.timeout(givenUpAfter),
    })
    const answer = await response.text()
    return { status: response.status, answer, tookMs: tookMs() }
  } catch (error) {
    return { status: null, answer: String(error), tookMs: tookMs() }
  }
}

function isJson(message: string): boolean {
  try {
    JSON.parse(message)
    return true
  } catch {
    return false
  }
}
