import { localToInstant } from '#domain/wall-time.ts'
import type { TradingSession } from '#domain/session.ts'
import type { WireSession } from './wire.ts'
import { ALPACA_ZONE } from '#domain/broker-types.ts'

export const tradingSession = ({ date, open, close }: WireSession): TradingSession => ({
  date,
  opensAt: localToInstant(`${date}T${open}`, ALPACA_ZONE),
  closesAt: localToInstant(`${date}T${close}`, ALPACA_ZONE),
})
