import { asSampleAlert } from '#domain/hook/sample-alert.ts'
import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import { alertMessage } from '#domain/hook/templates.ts'

const ONE_SHARE = { on: 'indicator', word: 'buy', order: 'market', size: { fixed: '1' } } as const

export const sampleMessage = (kind: HookKind, { template }: Pick<HookSettings, 'template'>): string =>
  asSampleAlert(alertMessage(kind, ONE_SHARE, template).text, {
    ticker: 'AAPL',
    now: new Date().toISOString(),
    price: '200',
  })
