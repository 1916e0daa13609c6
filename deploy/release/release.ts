import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { StartupError } from '#local/processes/startup-error.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { archive, cleanCommit } from './git.ts'
import { releaseNotes } from './notes.ts'

/** The byte of gzip's header that names the system, and its value for "not known". */
const SYSTEM = { at: 9, unknown: 255 } as const

/**
 * Makes the files of a release of the checked-out commit in a new folder; the same commit gives the same bytes. Throws
 * {@link StartupError} when files differ from the commit, or the folder is there.
 *
 * @returns the folder, and the checksum of each file by its name
 */
export function makeRelease(project: string, to: string): { folder: string; checksums: Map<string, string> } {
  const commit = cleanCommit(project)
  const read = (path: string) => readFileSync(join(project, path), 'utf8')
  const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string }
  const title = `${name}-${version}`
  const folder = join(to, title)
  if (existsSync(folder))
    throw new StartupError(`${folder} is there already: remove it, or choose another folder with --to.`)

  const notInTheImage = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const files: Record<string, Buffer | string> = {
    [`${title}.tar.gz`]: gzip(archive(project, { commit, prefix: `${title}/` })),
    [`${title}-image.tar.gz`]: gzip(archive(project, { commit, without: notInTheImage })),
    [`${title}-chart.tgz`]: gzip(archive(project, { commit, folder: 'deploy/chart', prefix: `${name}/` })),
    [`${title}-sbom.cdx.json`]: billOfMaterials(project, name, commit),
    'NOTES.md': `${releaseNotes(read('CHANGELOG.md'), version)}\nMade of commit ${commit.id}.\n`,
  }
  const checksums = new Map(
    Object.entries(files).map(([file, content]) => [
      file,
      createHash('sha256').update(content).digest('hex'),
    ]),
  )
  // The notation of sha256sum --check.
  files['SHA256SUMS'] = [...checksums].map(([file, digest]) => `${digest}  ${file}\n`).join('')

  // It has its name only when it is whole.
  const draft = `${folder}.partial`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  for (const [file, content] of Object.entries(files)) writeFileSync(join(draft, file), content)
  renameSync(draft, folder)
  return { folder, checksums }
}

function gzip(content: Buffer): Buffer {
  const packed = gzipSync(content, { level: 9 })
  packed[SYSTEM.at] = SYSTEM.unknown
  return packed
}
