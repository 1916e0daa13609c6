// Shapes of contract/, under the names of the reference.

export type { Fault } from '#contract/errors.ts'
export type { SignalStatus } from '#contract/signal/answers.ts'
export type { AccountAnswer as Account } from '#contract/account/shapes.ts'
export type { AgendaItemAnswer as AgendaItem } from '#contract/signal/agenda.ts'
export type { AlertAnswer as Alert } from '#contract/alerts.ts'
export type { ListedAssetAnswer as ListedAsset } from '#contract/assets.ts'
export type {
  BrokerAnswer as BrokerConnection,
  BrokerTypeAnswer as BrokerType,
} from '#contract/broker/shapes.ts'
export type { WorkflowAnswer as Workflow } from '#contract/envelopes.ts'
export type { FlattenAnswer as Flatten } from '#contract/position/flatten.ts'
export type { SentLineAnswer as SignalOfGroup } from '#contract/group/shapes.ts'
export type {
  HookSecretAnswer as HookSecret,
  HookAnswer as Hook,
  HookRequestAnswer as HookRequest,
  WholeHookRequestAnswer as WholeHookRequest,
} from '#contract/hook/answers.ts'
export type { SignedInAnswer as SignedIn, TokenAnswer as AccessToken } from '#contract/identity/answers.ts'
export type { QuoteAnswer as Quote } from '#contract/market.ts'
export type { OrderAnswer as Order, OrderDetailAnswer as OrderDetail } from '#contract/order/shapes.ts'
export type { PositionAnswer as Position } from '#contract/position/positions.ts'
export type { HaltAnswer as Halt } from '#contract/risk/shapes.ts'
export type {
  AdvisoryAnswer as Advisory,
  SignalAnswer as Signal,
  SignalDetailAnswer as SignalDetail,
  SignalEventAnswer as SignalEvent,
} from '#contract/signal/answers.ts'
export type {
  ProtectionAnswer as Protection,
  LevelsAnswer as ProtectionPlan,
} from '#contract/exit/answers.ts'
export type { StrategyAnswer as Strategy } from '#contract/signal/strategies.ts'
export type { TradeAnswer as Trade, OpenTradeAnswer as OpenTrade } from '#contract/position/trades.ts'
export type { AnswerOf, Routes } from '#contract/shapes.ts'
