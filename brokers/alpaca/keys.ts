import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerPricesUnavailable,
  BrokerRejection,
  type Broker,
  type RefusedRequest,
} from '../port.ts'

/**
 * Only `GET /v2/account` decides: Alpaca sometimes answers 401 to good keys, and 403 where a subscription lacks prices.
 */

/** Milliseconds. */
const AGAIN_IN = 1_000
const HTTP_FORBIDDEN = 403

type Purpose = 'order' | 'prices' | 'rest'

/**
 * Throws {@link BrokerCredentialsError} only when the account was refused as well. Otherwise 401 means {@link
 * BrokerBusy}, as nothing was done; 403 {@link BrokerPricesUnavailable} for prices, {@link BrokerRejection} for a
 * submission, else {@link BrokerOutcomeUnknown}.
 */
export function judgeKeys(broker: Broker): Broker {
  let asking: Promise<boolean | null> | null = null
  const areAccepted = (): Promise<boolean | null> => {
    asking ??= askAccount(broker).finally(() => (asking = null))
    return asking
  }
  const judged =
    <Arguments extends unknown[], Answer>(
      purpose: Purpose,
      ask: (...given: Arguments) => Promise<Answer>,
    ): ((...given: Arguments) => Promise<Answer>) =>
    async (...given) => {
      try {
        return await ask.apply(broker, given)
      } catch (error) {
        if (!(error instanceof BrokerCredentialsError) || error.refused === null) throw error
        const accepted = await areAccepted()
        throw accepted === false ? error : meaningOf(purpose, error.refused, accepted)
      }
    }
  return {
    submitOrder: judged('order', broker.submitOrder),
    findOrder: judged('rest', broker.findOrder),
    getOrder: judged('rest', broker.getOrder),
    cancelOrder: judged('rest', broker.cancelOrder),
    changeOrder: judged('rest', broker.changeOrder),
    listOrders: judged('rest', broker.listOrders),
    listFills: judged('rest', broker.listFills),
    listSplits: judged('rest', broker.listSplits),
    getAccount: judged('rest', broker.getAccount),
    listPositions: judged('rest', broker.listPositions),
    getPosition: judged('rest', broker.getPosition),
    getAsset: judged('rest', broker.getAsset),
    ...(broker.listAssets && { listAssets: judged('rest', broker.listAssets) }),
    getLastPrice: judged('prices', broker.getLastPrice),
    getQuotes: judged('prices', broker.getQuotes),
    listBars: judged('prices', broker.listBars),
    getClock: judged('rest', broker.getClock),
    listSessions: judged('rest', broker.listSessions),
    streamOrders: broker.streamOrders.bind(broker),
    ...(broker.streamQuotes && { streamQuotes: broker.streamQuotes.bind(broker) }),
  }
}

async function askAccount(broker: Broker): Promise<boolean | null> {
  try {
    await broker.getAccount()
    return true
  } catch (error) {
    if (error instanceof BrokerCredentialsError) return false
    if (error instanceof BrokerBusy || error instanceof BrokerOutcomeUnknown) return null
    throw error
  }
}

function meaningOf(
  purpose: Purpose,
  { what, httpStatus, words }: RefusedRequest,
  accepted: true | null,
): Error {
  const answer = `${what}: ${httpStatus}${words === null ? '' : ` ${words}`}`
  if (accepted === null)
    return new BrokerBusy(
      `The broker refused the keys (${answer}), and whether it accepts them could not be found out`,
      AGAIN_IN,
    )
  if (httpStatus !== HTTP_FORBIDDEN)
    return new BrokerBusy(`The broker refused a request (${answer}), although it accepts the keys`, AGAIN_IN)
  if (purpose === 'prices')
    return new BrokerPricesUnavailable(
      `The broker accepts the keys and gives them no prices (${answer}): the data plan of the account lacks them`,
    )
  const message = `The broker accepts the keys and forbids this request (${answer})`
  return purpose === 'order'
    ? new BrokerRejection('BROKER_ERROR', message, httpStatus)
    : new BrokerOutcomeUnknown(message)
}
