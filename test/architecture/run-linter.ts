import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { REPOSITORY } from './source-files.ts'

export interface Finding {
  code: string
  message: string
  help?: string
  filename: string
  labels: { span: { line: number } }[]
}

/** Bytes; every import between two rooms is a finding of some hundred. */
const MAX_OUTPUT = 100_000_000

/** What the linter finds in these files under the project's own settings: path -> source. */
export async function lint(files: Record<string, string>): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lint-'))
  try {
    for (const file of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) {
      await copyFile(join(REPOSITORY, file), join(folder, file))
    }
    await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
    for (const [path, source] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), source)
    }
    const oxlint = join(REPOSITORY, 'node_modules', 'oxlint', 'bin', 'oxlint')
    const output = await new Promise<string>((resolve) => {
      const options = { cwd: folder, maxBuffer: MAX_OUTPUT }
      execFile(process.execPath, [oxlint, '--format', 'json'], options, (_, stdout) => resolve(stdout))
    })
    return (JSON.parse(output) as { diagnostics: Finding[] }).diagnostics
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
