import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pythonPrograms } from '../support/python-packages.ts'

const FOLDER = import.meta.dirname
const REQUIREMENTS = join(FOLDER, 'requirements.txt')

/** The path of Schemathesis, installed into a folder of its own at first. Throws ToolMissing. */
export const schemathesis = async (): Promise<string> =>
  join(await pythonPrograms('schemathesis', REQUIREMENTS), 'schemathesis')

/**
 * What JSON Schema cannot tell makes requests faulty too: rules between fields, moments that have passed, links that
 * were used, cursors of another list. So a body that fits its schema may be refused.
 */
const NOT_CHECKED = 'positive_data_acceptance'

/** One run of the tool: whether it found nothing, and how many requests it made. */
export interface FuzzRun {
  isClean: boolean
  requests: number
}

/** Runs the tool over every operation; what it finds it prints. */
export async function fuzz(
  program: string,
  {
    origin,
    headers,
    examples,
    seed,
    report,
    checksCredential,
  }: {
    /** Such as http://127.0.0.1:3000. */
    origin: string
    headers: readonly string[]
    /** Random requests for each operation, beside those that go through every bound of its schema. */
    examples: number
    seed: number
    /** Where the tool writes its report. */
    report: string
    /** Repeats requests with a wrong credential and with none, which must be refused. */
    checksCredential: boolean
  },
): Promise<FuzzRun> {
  const options = {
    url: origin,
    checks: 'all',
    'exclude-checks': checksCredential ? NOT_CHECKED : `${NOT_CHECKED},ignored_auth`,
    seed: String(seed),
    'max-examples': String(examples),
    'request-timeout': '30',
    warnings: 'off',
    'report-json-path': report,
  }
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(
      program,
      [
        '--config-file',
        join(FOLDER, 'schemathesis.toml'),
        'run',
        `${origin}/openapi.json`,
        ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
        ...headers.flatMap((header) => ['--header', header]),
        '--no-color',
      ],
      // What it wants to remember goes away with the report.
      { stdio: ['ignore', 'inherit', 'inherit'], cwd: dirname(report) },
    )
    child.once('error', reject)
    child.once('exit', (status) => resolve(status ?? 1))
  })
  const { test_cases: cases } = JSON.parse(readFileSync(report, 'utf8')) as {
    test_cases: { generated: number }
  }
  return { isClean: code === 0, requests: cases.generated }
}
