import type { HookRecord } from '#db/hook/hooks.ts'
import { approvalMinutesOf } from '#domain/hook/settings.ts'
import type { HookSecret } from '#db/hook/secrets.ts'
import type { RequestRecord, WholeRequest } from '#db/hook/inbox.ts'
import { isoInstantOfText as instant, presentAs, toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { presentDryRun } from '../signal/check.ts'
import {
  hookAnswer,
  requestAnswer,
  type HookAnswer,
  type HookRequestAnswer,
  type HookSecretAnswer,
  type HookTrialAnswer,
  type WholeHookRequestAnswer,
} from '#contract/hook/answers.ts'
import type { HookTrial } from './intake/routes.ts'

const moment = (text: string): string => toIsoInstant(new Date(text))

export const presentSecret = ({ id, createdAt, endsAt, lastUsedAt }: HookSecret): HookSecretAnswer => ({
  id,
  createdAt: moment(createdAt),
  endsAt: instant(endsAt),
  lastUsedAt: instant(lastUsedAt),
})

export const presentHook = ({ settings, ...hook }: HookRecord): HookAnswer =>
  presentAs(
    hookAnswer,
    { ...settings, ...hook },
    {
      accounts: settings.accounts.map(({ accountId, multiplier, quantity }) => ({
        accountId,
        multiplier: toJsonNumber(multiplier),
        quantity: toJsonNumber(quantity),
      })),
      approvalMinutes: approvalMinutesOf(settings),
      live: hook.isLive,
      signing: hook.isSigning,
      secrets: hook.secrets.map(presentSecret),
      firstRequestAt: instant(hook.firstRequestAt),
      lastRequestAt: instant(hook.lastRequestAt),
      lastAcceptedAt: instant(hook.lastAcceptedAt),
      owns: hook.owns.map(({ quantity, ...same }) => ({ ...same, quantity: toJsonNumber(quantity) })),
      createdAt: moment(hook.createdAt),
      updatedAt: moment(hook.updatedAt),
    },
  )

export const presentRequest = (request: RequestRecord): HookRequestAnswer =>
  presentAs(requestAnswer, request, {
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
  message: trial.message,
  faults: trial.faults,
  advisories: trial.advisories,
  instructions: trial.instructions,
  accounts: accounts.map(({ dryRun, ...account }) => ({
    ...account,
    dryRun: dryRun && presentDryRun(dryRun, '').dryRun,
  })),
})
