import { join } from 'node:path'
import { findOnPath, type ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

/** Whether this process may add programs to the machine: as root, where apt-get is. */
export const canInstallPackages = (): boolean =>
  process.getuid?.() === 0 && findOnPath('apt-get') !== undefined

const attempts = new Map<string, Promise<void>>()

/** Has apt-get install the packages; a process tries that once. Throws ProcessNotReadyError where it cannot. */
export const installPackages = (packages: readonly string[], source: ProgramSource): Promise<void> =>
  once(`install ${packages.join(' ')}`, () =>
    runApt(
      'apt-get update -qq && apt-get install -y --no-install-recommends "$@"',
      packages,
      source,
      `installing ${packages.join(' and ')} with apt-get`,
    ),
  )

/** Has the packages unpacked below a folder and not installed, so that no server of theirs is started. */
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
