import { StartupError } from '#local/processes/startup-error.ts'

/**
 * The section of a version in CHANGELOG.md; while it has none, the one of what is not released. Throws
 * {@link StartupError} when there is neither.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## \[)/m)
  const section =
    sections.find((text) => text.startsWith(`## [${version}]`)) ??
    sections.find((text) => text.startsWith('## [Unreleased]'))
  if (section === undefined)
    throw new StartupError(`CHANGELOG.md has no section [${version}] or [Unreleased].`)
  return `# Durable Trader ${version}\n\n${section.slice(section.indexOf('\n')).trim()}\n`
}
