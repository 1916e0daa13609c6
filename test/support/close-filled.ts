import type { SignalEnd } from '#db/signal/ledger.ts'
import { exitBegins } from '#domain/exit/progress.ts'

/** The end of a close of 10 shares that has filled, as of the first part of a reversal. */
export const closeFilled = (): SignalEnd => ({
  message: 'Filled',
  acknowledges: [],
  exit: null,
  rejected: false,
  unprotected: null,
  closing: 1,
  entryFilled: '10',
  progress: exitBegins(),
})
