import { ProcessNotReadyError } from '../processes/managed-process.ts'
import { StartupError } from '../processes/startup-error.ts'
import { SettingsError } from '#config/env.ts'

const KNOWN_CAUSES: readonly { signs: RegExp; advice: string }[] = [
  {
    signs: /ENOSPC|no space left on device|disk quota exceeded|database or disk is full/i,
    advice: 'The disk is full. Free some space, or point DATA_DIR at another disk.',
  },
  {
    signs: /EADDRINUSE|address already in use/i,
    advice:
      'Another program took its port meanwhile. Stop that one, or choose another port (npm start -- --help).',
  },
  {
    signs: /EROFS|read-only file system/i,
    advice: 'The data folder cannot be written. Point DATA_DIR at one that can.',
  },
]

/** Fault and remedy, ready to print. Only a fault of our own shows a stack. */
export function explainFailure(error: unknown): string {
  if (error instanceof StartupError || error instanceof SettingsError) return error.message
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const evidence = error instanceof ProcessNotReadyError ? error.lastLines : text
  const advice = KNOWN_CAUSES.find(({ signs }) => signs.test(evidence))?.advice
  if (!(error instanceof ProcessNotReadyError)) return advice ? `${advice}\n${text}` : text
  const cause = error.cause instanceof Error ? `Last look: ${error.cause.message}` : undefined
  const log = `It wrote (${error.logFile}):\n${error.lastLines.replace(/^/gm, '  ')}`
  return [`${error.message}.`, advice, cause, log].filter((line) => line !== undefined).join('\n')
}
