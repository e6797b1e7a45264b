//! `--live`: a page that follows a run while it goes on, and can stop it.
//!
//! The page is served to this computer alone (127.0.0.1), under a path that is drawn for it; whatever asks for another host, another path
//! or from another page is refused. It asks for the state twice a second; the run itself only notes how far it is.

mod drawing;
mod history;
mod server;

use anyhow::{Context, Result};
use history::{Has, Heat, Moments, ShownHeat};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::Serialize;
use serde_json::{Value, json};
use server::{Answer, Request, Server};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use weir_experiment::Scenario;
use weir_network::Progress;
use weir_network::causes::{Cause, SoFar};
use weir_network::record::Keep;
use weir_picture::PALETTE;
use weir_record::Summary;
use weir_run::Follower;

/// The page, how it looks, and what it does.
const PAGE: &str = include_str!("live/page.html");
const STYLE: &str = include_str!("live/style.css");
const SCRIPT: &str = include_str!("live/script.js");
/// The signal SIGINT, which Ctrl-C sends.
const INTERRUPT: i32 = 2;
/// The end of a run waits this long for a page that is open to ask once more.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// Within this time a page that is open asks again.
const ASKED_AGAIN: Duration = Duration::from_millis(700);

struct State {
    title: String,
    engine: String,
    total: Option<u64>,
    start: Instant,
    moments: Moments,
    heat: Option<Heat>,
    /// Causes of the time of ranks as far as they are known, if the run records them.
    causes: Option<Option<SoFar>>,
    /// The outcome.
    ended: Option<Value>,
    /// The page has been given the outcome, and the instant at which it last asked.
    seen_end: bool,
    asked: Option<Instant>,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<State>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The page of a run.
pub(crate) struct Live {
    shared: Shared,
    server: Server,
}

impl Live {
    /// The page of a run, if `--live` asks for it at a port (0: any).
    ///
    /// # Errors
    /// When the port cannot be had.
    pub(crate) fn asked_for(port: Option<u16>, scenario: &Scenario) -> Result<Option<Self>> {
        port.map(|port| Self::begin(port, scenario)).transpose()
    }

    /// Notes what links carry, if the run records it.
    pub(crate) fn follower(&self) -> Follower {
        let shared = self.shared.clone();
        Follower::new(move |start, samples| {
            if let Some(heat) = &mut shared.lock().heat {
                heat.note(start, samples);
            }
        })
    }

    /// Serves the page, and says where.
    fn begin(port: u16, scenario: &Scenario) -> Result<Self> {
        let no_page =
            || format!("--live={port}: the page cannot be served (--live alone takes a port that is free)");
        let listener = TcpListener::bind(("127.0.0.1", port)).with_context(no_page)?;
        let address = listener.local_addr().with_context(no_page)?;
        let path = format!("/{}/", secret()?);
        let url = format!("http://{address}{path}");
        let state = State {
            title: scenario.title.clone(),
            engine: scenario.resolved()["engine"]["kind"].as_str().unwrap_or_default().to_owned(),
            total: scenario.messages(),
            start: Instant::now(),
            moments: Moments::new(),
            heat: Heat::of(scenario),
            causes: (scenario.output.causes == Keep::Yes).then_some(None),
            ended: None,
            seen_end: false,
            asked: None,
        };
        let shared = Shared(Arc::new(Mutex::new(state)));
        let of_page = shared.clone();
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        let server = Server::begin(listener, move |request| answer(request, &hosts, &path, &of_page));
        let server = server.with_context(no_page)?;
        eprintln!("follow it: {url}");
        Ok(Self { shared, server })
    }

    /// Notes the progress of the run.
    pub(crate) fn note(&self, progress: Progress) {
        let mut state = self.shared.lock();
        let wall = state.start.elapsed();
        if let (Some(causes), Some(known)) = (&mut state.causes, progress.causes) {
            *causes = Some(known);
        }
        state.moments.note(wall, progress);
    }

    /// The run is over: a page that is open shows how it ended, its verdict, and what the time of ranks went into in the end.
    pub(crate) fn end(self, outcome: &str, folder: Option<&str>, summary: Option<&Summary>) {
        let verdict: Vec<&str> =
            summary.iter().flat_map(|run| &run.verdict).map(|finding| finding.sentence.as_str()).collect();
        let causes = summary.and_then(|run| Some(run.causes.as_ref()?.accounts.total()));
        let text = if outcome.is_empty() { "finished" } else { outcome };
        {
            let mut state = self.shared.lock();
            state.ended = Some(json!({ "outcome": text, "folder": folder, "verdict": verdict }));
            let whole = |causes| SoFar { causes, ..SoFar::default() };
            state.causes = causes.map(|causes| Some(whole(causes))).or(state.causes);
        }
        let since = Instant::now();
        // Several pages may be open, each of which asks twice a second.
        let all_have_asked = |state: &State| state.seen_end && since.elapsed() >= ASKED_AGAIN;
        let is_open = |state: &State| state.asked.is_some_and(|asked| asked.elapsed() < LAST_LOOK);
        while since.elapsed() < LAST_LOOK {
            let state = self.shared.lock();
            if all_have_asked(&state) || !is_open(&state) {
                break;
            }
            drop(state);
            std::thread::sleep(Duration::from_millis(20));
        }
        self.server.end();
    }
}

/// Characters that cannot be guessed: 128 bits of the system, in hexadecimal.
fn secret() -> Result<String> {
    let mut bytes = [0; 16];
    let drawn =
        getrandom(&mut bytes, GetRandomFlags::empty()).context("--live: the system has no random numbers")?;
    anyhow::ensure!(drawn == bytes.len(), "--live: the system has too few random numbers");
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// Behind the secret path, if a target begins with it. Takes the same time wherever the two differ.
fn behind<'t>(target: &'t str, path: &str) -> Option<&'t str> {
    let (begin, rest) = target.split_at_checked(path.len())?;
    let differ = begin.bytes().zip(path.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
    (differ == 0).then_some(rest)
}

/// Answers what the page asks for, and nothing else: nothing is shown or done for who does not know the path.
fn answer(request: &Request, hosts: &[String; 2], path: &str, shared: &Shared) -> Answer {
    let is_own = |text: &[u8]| hosts.iter().any(|host| host.as_bytes() == text);
    let mut origins = request.headers("Origin");
    let from_own_page = origins.all(|origin| origin.strip_prefix(b"http://").is_some_and(is_own));
    let named: Vec<&[u8]> = request.headers("Host").collect();
    if !matches!(named[..], [host] if is_own(host)) || !from_own_page {
        return Answer::refusal(403, "another host");
    }
    let Some(what) = behind(&request.target, path) else {
        return Answer::refusal(404, "nothing here");
    };
    let (what, has) = what.split_once('?').unwrap_or((what, ""));
    let (kind, text) = match (request.method.as_str(), what) {
        ("GET", "") => ("text/html; charset=utf-8", PAGE.to_owned()),
        ("GET", "style.css") => ("text/css", format!("{PALETTE}{STYLE}")),
        ("GET", "script.js") => ("text/javascript", SCRIPT.to_owned()),
        ("GET", "state") => ("application/json", state(&mut shared.lock(), Has::of(has))),
        ("POST", "stop") => {
            weir_network::interrupt(INTERRUPT);
            ("application/json", "{}".to_owned())
        }
        _ => return Answer::refusal(404, "nothing here"),
    };
    Answer { status: 200, kind, text }
}

/// Where ranks keep account: by cause, in seconds of all ranks together, those in which no time went left out, and what is not known yet.
fn causes_to_json(known: Option<SoFar>) -> Value {
    let Some(SoFar { causes, open }) = known else { return json!({ "known": null }) };
    let all = Cause::ALL.into_iter().map(|cause| (cause.name(), causes.of(cause).as_secs_f64()));
    let all = all.chain([("open", open.as_secs_f64())]);
    json!({ "known": all.filter(|&(_, time)| time > 0.0).collect::<Vec<_>>() })
}

/// State of the page, as JSON. The map is written as it is kept: as a tree of values it would cost the run one per cent of its time.
fn state(state: &mut State, has: Has) -> String {
    #[derive(Serialize)]
    struct Shown<'a> {
        #[serde(flatten)]
        object: Value,
        heat: Option<ShownHeat<'a>>,
    }

    state.asked = Some(Instant::now());
    state.seen_end = state.ended.is_some();
    let mut object = state.moments.to_json();
    object["title"] = json!(state.title);
    object["engine"] = json!(state.engine);
    object["total"] = json!(state.total);
    object["wall"] = json!(state.start.elapsed().as_secs_f64());
    object["stopping"] = json!(weir_network::interrupted_by().is_some());
    object["ended"] = json!(state.ended);
    object["causes"] = json!(state.causes.map(causes_to_json));
    let shown = Shown { object, heat: state.heat.as_mut().map(|heat| heat.shown(has)) };
    serde_json::to_string(&shown).expect("its keys are texts")
}
