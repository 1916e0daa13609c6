import { AccessToken } from './access-token.entity.ts'
import { Account } from './account.entity.ts'
import { Alert } from './alert.entity.ts'
import { BrokerConnection } from './broker-connection.entity.ts'
import { Order } from './order.entity.ts'
import { Position } from './position.entity.ts'
import { Signal } from './signal.entity.ts'
import { SignalEvent } from './signal-event.entity.ts'
import { SignalGroup } from './signal-group.entity.ts'
import { Strategy } from './strategy.entity.ts'
import { Trade } from './trade.entity.ts'
import { User } from './user.entity.ts'

export const entities = [
  User,
  AccessToken,
  BrokerConnection,
  Account,
  Strategy,
  Signal,
  SignalEvent,
  SignalGroup,
  Order,
  Position,
  Trade,
  Alert,
]
export {
  AccessToken,
  Account,
  Alert,
  BrokerConnection,
  Order,
  Position,
  Signal,
  SignalEvent,
  SignalGroup,
  Strategy,
  Trade,
  User,
}
