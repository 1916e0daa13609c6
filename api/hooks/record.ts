import type { HookRecord } from '#db/hooks/hooks.ts'
import { approvalMinutesOf } from '#domain/hook/settings.ts'
import type { HookSecret } from '#db/hooks/secrets.ts'
import type { RequestRecord, WholeRequest } from '#db/hooks/inbox.ts'
import { isoInstantOfText as instant, toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { presentDryRun } from '../signals/dry-run-record.ts'
import type {
  HookAnswer,
  HookRequestAnswer,
  HookSecretAnswer,
  HookTrialAnswer,
  WholeHookRequestAnswer,
} from './answers.ts'
import type { HookTrial } from './intake/trials.ts'

const moment = (text: string): string => toIsoInstant(new Date(text))

export const presentSecret = ({ id, createdAt, endsAt, lastUsedAt }: HookSecret): HookSecretAnswer => ({
  id,
  createdAt: moment(createdAt),
  endsAt: instant(endsAt),
  lastUsedAt: instant(lastUsedAt),
})

export const presentHook = ({ settings, isLive, isSigning, ...hook }: HookRecord): HookAnswer => ({
  ...(hook satisfies Pick<HookAnswer, keyof typeof hook>),
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
  mayShort: settings.mayShort,
  whenSame: settings.whenSame,
  whenOpposite: settings.whenOpposite,
  template: settings.template,
  live: isLive,
  signing: isSigning,
  flatByClose: settings.flatByClose,
  secrets: hook.secrets.map(presentSecret),
  firstRequestAt: instant(hook.firstRequestAt),
  lastRequestAt: instant(hook.lastRequestAt),
  lastAcceptedAt: instant(hook.lastAcceptedAt),
  createdAt: moment(hook.createdAt),
  updatedAt: moment(hook.updatedAt),
})

export const presentRequest = (request: RequestRecord): HookRequestAnswer => ({
  ...request,
  receivedAt: moment(request.receivedAt),
  finishedAt: instant(request.finishedAt),
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
  ...trial,
  accounts: accounts.map(({ dryRun, ...account }) => ({
    ...account,
    dryRun: dryRun && presentDryRun(dryRun, '').dryRun,
  })),
})
