import type { HookRecord } from '#db/hooks/hooks.ts'
import { approvalMinutesOf } from '#domain/hook/settings.ts'
import type { HookSecret } from '#db/hooks/secrets.ts'
import type { RequestRecord, WholeRequest } from '#db/hooks/inbox.ts'
import { isoInstantOfText as instant, toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { presentDryRun } from '../signals/check.ts'
import type {
  HookAnswer,
  HookRequestAnswer,
  HookSecretAnswer,
  HookTrialAnswer,
  WholeHookRequestAnswer,
} from '#contract/hooks/answers.ts'
import type { HookTrial } from './intake/routes.ts'

const moment = (text: string): string => toIsoInstant(new Date(text))

export const presentSecret = ({ id, createdAt, endsAt, lastUsedAt }: HookSecret): HookSecretAnswer => ({
  id,
  createdAt: moment(createdAt),
  endsAt: instant(endsAt),
  lastUsedAt: instant(lastUsedAt),
})

export const presentHook = ({ settings, ...hook }: HookRecord): HookAnswer => ({
  id: hook.id,
  name: hook.name,
  kind: hook.kind,
  accounts: settings.accounts.map(({ accountId, multiplier, quantity }) => ({
    accountId,
    multiplier: toJsonNumber(multiplier),
    quantity: toJsonNumber(quantity),
  })),
  executeMode: settings.executeMode,
  approvalMinutes: approvalMinutesOf(settings),
  strategyId: settings.strategyId,
  quantity: toJsonNumber(settings.quantity),
  quantityType: settings.quantityType,
  exit: settings.exit,
  protection: settings.protection,
  symbols: settings.symbols,
  manages: settings.manages,
  mayShort: settings.mayShort,
  whenSame: settings.whenSame,
  whenOpposite: settings.whenOpposite,
  template: settings.template,
  requestsPerMinute: hook.requestsPerMinute,
  addresses: hook.addresses,
  live: hook.isLive,
  signing: hook.isSigning,
  expects: hook.expects,
  flatByClose: settings.flatByClose,
  secrets: hook.secrets.map(presentSecret),
  firstRequestAt: instant(hook.firstRequestAt),
  lastRequestAt: instant(hook.lastRequestAt),
  lastAcceptedAt: instant(hook.lastAcceptedAt),
  lastRefusal: hook.lastRefusal,
  waitingSignals: hook.waitingSignals,
  owns: hook.owns.map(({ quantity, ...same }) => ({ ...same, quantity: toJsonNumber(quantity) })),
  createdAt: moment(hook.createdAt),
  updatedAt: moment(hook.updatedAt),
})

export const presentRequest = (request: RequestRecord): HookRequestAnswer => ({
  id: request.id,
  receivedAt: moment(request.receivedAt),
  via: request.via,
  again: request.again,
  ip: request.ip,
  excerpt: request.excerpt,
  bytes: request.bytes,
  outcome: request.outcome,
  code: request.code,
  message: request.message,
  status: request.status,
  finishedAt: instant(request.finishedAt),
  groupId: request.groupId,
  signals: request.signals.map((signal) => ({
    ...signal,
    filledQuantity: toJsonNumber(signal.filledQuantity),
  })),
})

export const presentWholeRequest = ({
  body,
  faults,
  advisories,
  ...request
}: WholeRequest): WholeHookRequestAnswer => ({ ...presentRequest(request), body, faults, advisories })

export const presentTrial = ({ accounts, ...trial }: HookTrial): HookTrialAnswer => ({
  message: trial.message,
  faults: trial.faults,
  advisories: trial.advisories,
  instructions: trial.instructions,
  accounts: accounts.map(({ dryRun, ...account }) => ({
    ...account,
    dryRun: dryRun && presentDryRun(dryRun, '').dryRun,
  })),
})
