import { BrokerBusy, type Broker, type BrokerConnectionSettings } from '#brokers/port.ts'
import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** The request was not sent: what is left of the broker's limit is kept for orders, cancels and exits. */
export class BrokerShareSpent extends BrokerBusy {}

/** A minute has so many windows: a burst at the edge of two takes no more than two thirds of a minute's share at once. */
const WINDOWS_IN_A_MINUTE = 3

/**
 * Connects to brokers for everything but trading. Brokers limit the requests of each set of keys (Alpaca: 200 a minute) and
 * do not tell orders from look-ups, so this process makes no more than a share of them for look-ups; each request counts.
 * One more throws {@link BrokerShareSpent} and is not sent.
 *
 * @param perMinute requests by one set of keys; in any minute at most a third more than that, at the edges of windows
 */
export function shareBroker(
  connect: (settings: BrokerConnectionSettings) => Broker,
  perMinute: number,
): (settings: BrokerConnectionSettings) => Broker {
  const requests = new RateLimiterMemory({
    points: Math.floor(perMinute / WINDOWS_IN_A_MINUTE),
    duration: 60 / WINDOWS_IN_A_MINUTE,
  })
  return (settings) => {
    const key = keyOf(settings)
    const beforeRequest = async () => {
      try {
        await requests.consume(key)
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        throw new BrokerShareSpent('The share of look-ups in the broker’s limit is spent', error.msBeforeNext)
      }
    }
    return connect({ ...settings, beforeRequest })
  }
}

/** The same for whoever uses the same keys at the same broker, and nothing that keys could be read from. */
const keyOf = ({ brokerType, baseUrl, credentials }: BrokerConnectionSettings): string =>
  createHash('sha256')
    .update(JSON.stringify([brokerType, baseUrl, credentials]))
    .digest('base64')
