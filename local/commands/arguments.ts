import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Typed command that cannot run; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Throws {@link UsageError} for an invalid command line. */
export function readArguments<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

/** Reads a whole number above 0 and at most `most`. Throws {@link UsageError}. */
export function count(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--${name} must be a whole number, not ${text}`)
  if (value > most) throw new UsageError(`--${name} is at most ${most}, not ${text}`)
  return value
}

/** A usage error is printed with the help, and ends the process with status 2. */
export async function runCommand(help: string, command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${help}`)
    process.exitCode = 2
  }
}
