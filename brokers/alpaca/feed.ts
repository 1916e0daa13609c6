import type { BrokerHttp, HttpAnswer } from '../http.ts'
import { Memo } from './memo.ts'
import { isSuccess } from './reading.ts'

/** sip: all exchanges, for who pays. iex: one exchange, whose bid and ask lie farther apart. */
export type PriceFeed = 'sip' | 'iex'

/** Status of an answer to keys whose plan lacks the feed. */
export const NOT_SUBSCRIBED = 403
/** Alpaca knows a listed symbol, or says that it does not: either way the feed may be asked. */
const ANSWERS = [400, 404, 422]

/** By address and key. */
const found = new Memo<PriceFeed>()

/** The feed of all prices of a connection: the largest that its keys may use, so that no two are mixed. */
export class DataFeed {
  readonly #http: BrokerHttp
  readonly #key: string

  constructor(http: BrokerHttp, key: string) {
    this.#http = http
    this.#key = key
  }

  /** `query` without the feed. */
  async ask(path: string, query = new URLSearchParams()): Promise<{ answer: HttpAnswer; feed: PriceFeed }> {
    const askOf = (feed: PriceFeed) => {
      query.set('feed', feed)
      return this.#http.send('GET', `${path}?${query.toString()}`)
    }
    let feed = found.get(this.#key) ?? 'sip'
    let answer = await askOf(feed)
    if (feed === 'sip' && answer.status === NOT_SUBSCRIBED) {
      feed = 'iex'
      answer = await askOf(feed)
    }
    if (isSuccess(answer) || ANSWERS.includes(answer.status)) found.set(this.#key, feed)
    return { answer, feed }
  }

  async find(): Promise<PriceFeed> {
    return found.get(this.#key) ?? (await this.ask('/v2/stocks/SPY/trades/latest')).feed
  }
}
