import type { PageData } from '../make-report.ts'
import type { PageAnswer } from '../page-data.ts'
import { assignColours, timeText } from './cell-text.ts'
import { codeBlock, details, element, foreignText, section } from './element.ts'
import { answerView, coverageView } from './views.ts'

const data: PageData = JSON.parse(document.getElementById('data')?.textContent ?? '')
const page = document.getElementById('page')
if (page === null) throw new Error('The page has no place to be drawn in.')

const numbers = data.sections.filter(({ id }) => id === 'glance-numbers').flatMap(({ answers }) => answers)
const sections = data.sections.filter(({ id }) => id !== 'glance-numbers')

const colours = assignColours(data.sections.flatMap(({ answers }) => answers))

const isEmpty = data.beginning.length > 0
const parts = isEmpty
  ? [beginningView()]
  : [problemsView(), glanceView(), coverageView(data), ...sections.map(sectionView), sqlView()]

document.title = `${data.name}: chainlake report`
page.append(
  element('a', { class: 'skip', href: '#content' }, 'Skip to the content'),
  headerView(),
  element(
    'div.columns',
    isEmpty ? null : navigationView(),
    element('main', { id: 'content', tabindex: '-1' }, ...parts),
  ),
  footerView(),
)

function headerView(): HTMLElement {
  const { snapshot } = data
  const behind =
    snapshot !== null && snapshot.views !== snapshot.catalog
      ? `; the views show snapshot ${snapshot.views ?? 'none'}: coverage is newer than what is below it`
      : ''
  return element(
    'header.top',
    element('p.kicker', 'chainlake report'),
    element('h1', foreignText(data.name, 80)),
    element('p.made', foreignText(data.lake, 120)),
    element(
      'p.made',
      'Made ',
      element(
        'time',
        { datetime: new Date(data.madeMs).toISOString() },
        `${timeText(new Date(data.madeMs).toISOString()).slice(0, 19)} UTC`,
      ),
      snapshot === null ? '' : `, of snapshot ${snapshot.catalog}${behind}`,
      '. All times are UTC, and ages are as of then.',
    ),
  )
}

function navigationView(): HTMLElement {
  const links = [
    ...(data.problems.length === 0 ? [] : [['problems', 'Problems']]),
    ['glance', 'At a glance'],
    ['coverage', 'Coverage'],
    ...sections.map(({ id, title }) => [`section-${id}`, title]),
    ['sql', 'Asking further'],
  ]
  return element(
    'nav',
    { 'aria-label': 'Sections' },
    element('ul', ...links.map(([id, title = '']) => element('li', element('a', { href: `#${id}` }, title)))),
  )
}

function problemsView(): HTMLElement | null {
  if (data.problems.length === 0) return null
  const problems = data.problems.map(({ title, says, command }) =>
    element(
      'li',
      element('h3', title),
      element('p.says', foreignText(says, 400)),
      codeBlock(command, `the command for: ${title}`),
    ),
  )
  return section('problems', 'h2', 'Problems', element('ul.problems', ...problems))
}

function glanceView(): HTMLElement {
  return section(
    'glance',
    'h2',
    'At a glance',
    element('ul.verdicts', ...data.verdicts.map(verdictView)),
    element('dl.facts', ...data.facts.map(factView)),
    answersView(numbers),
  )
}

function verdictView({ ask, answer, why, mood }: PageData['verdicts'][number]): HTMLElement {
  return element(
    'li',
    { class: `verdict ${mood}` },
    element('span.ask', ask),
    element('span.reply', element('span', { class: 'mark', 'aria-hidden': 'true' }), answer),
    element('span.why', why),
  )
}

function factView({ title, value, says, timeMs }: PageData['facts'][number]): HTMLElement {
  const when = timeMs === undefined ? null : `${timeText(new Date(timeMs).toISOString()).slice(0, 16)} UTC`
  return element(
    'div',
    element('dt', title),
    element('dd.value', value),
    element('dd.about', foreignText(says, 80), when === null ? null : element('span', `, ${when}`)),
  )
}

function answersView(answers: readonly PageAnswer[]): HTMLElement {
  return element('div.answers', ...answers.map((answer) => answerView(answer, colours)))
}

function sectionView({ id, title, answers }: PageData['sections'][number]): HTMLElement {
  return section(`section-${id}`, 'h2', title, answersView(answers))
}

function sqlView(): HTMLElement {
  const says = 'Under each picture stands the SQL that made it. In any DuckDB it works after this:'
  const code = codeBlock(data.preparation, 'SQL that opens the lake')
  return section('sql', 'h2', 'Asking further', element('p.says', says), code)
}

function beginningView(): HTMLElement {
  const steps = data.beginning.map(({ says, command }) =>
    element('li', element('p', says), codeBlock(command, 'the command')),
  )
  const says = element('p.says', 'Nothing was committed to it yet. How to begin:')
  return section('beginning', 'h2', 'The lake is empty', says, element('ol.steps', ...steps))
}

function footerView(): HTMLElement {
  const licences = document.getElementById('licences')?.textContent ?? ''
  const made = `Made by chainlake ${data.version}. The page is self-contained: you can store, send and open it anywhere, also offline.`
  const texts = element('pre', { tabindex: '0', role: 'group', 'aria-label': 'Licences' }, licences)
  return element('footer', element('p', made), details('licences', 'Licences of the code that draws the charts', texts))
}
