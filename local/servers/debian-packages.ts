import { join } from 'node:path'
import { findOnPath, type ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

/** Whether this process may install packages: as root, with apt-get. */
export const canInstallPackages = (): boolean =>
  process.getuid?.() === 0 && findOnPath('apt-get') !== undefined

const attempts = new Map<string, Promise<void>>()

/** Tries once a process. Throws ProcessNotReadyError if it fails. */
export const installPackages = (packages: readonly string[], source: ProgramSource): Promise<void> =>
  once(`install ${packages.join(' ')}`, () =>
    runApt(
      'apt-get update -qq && apt-get install -y --no-install-recommends "$@"',
      packages,
      source,
      `installing ${packages.join(' and ')} with apt-get`,
    ),
  )

/** Unpacks without installation, so that no server starts. */
export const unpackPackages = (
  packages: readonly string[],
  folder: string,
  source: ProgramSource,
): Promise<void> =>
  once(`unpack ${packages.join(' ')}`, () =>
    runApt(
      'cd "$FOLDER" && apt-get update -qq && apt-get download -o APT::Sandbox::User=root "$@" && ' +
        'for package in *.deb; do dpkg -x "$package" . || exit 1; done && rm *.deb',
      packages,
      source,
      `unpacking ${packages.join(' and ')} of Debian`,
      { FOLDER: folder },
    ),
  )

function once(key: string, work: () => Promise<void>): Promise<void> {
  const attempt = attempts.get(key) ?? work()
  attempts.set(key, attempt)
  return attempt
}

async function runApt(
  script: string,
  packages: readonly string[],
  source: ProgramSource,
  title: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  source.report(title)
  await runTool({
    name: `Installation of ${packages.join(', ')}`,
    command: 'sh',
    args: ['-c', script, 'sh', ...packages],
    env: { ...process.env, ...environment, DEBIAN_FRONTEND: 'noninteractive' },
    logFile: join(source.logFolder, `install-${packages[0]}.log`),
    record: source.record,
    timeLimitMs: 15 * 60_000,
    onProgress: (output) => source.report(progressOf(output, title)),
  })
}

function progressOf(output: string, title: string): string {
  const [fetched, unpacked] = ['Get:', 'Setting up '].map(
    (start) => output.split('\n').filter((line) => line.startsWith(start)).length,
  )
  return `${title}, ${fetched} packages fetched, ${unpacked} set up`
}
