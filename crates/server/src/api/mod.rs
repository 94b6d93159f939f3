//! The routes: each with its description in the OpenAPI document.

mod bulk;
mod collections;
mod documents;
mod export;
mod extract;
mod maintain;
mod search;
mod status;

use crate::guard;
use crate::page;
use crate::problem::Problem;
use crate::repeats;
use crate::state::State;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::any::Any;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{IntoResponses, Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use utoipa_swagger_ui::SwaggerUi;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "lookalike",
        description = "Documents that stay, and which of them look like this one.",
        license(name = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "questions", description = "Who looks like this, and have we seen it?"),
        (name = "documents", description = "Documents of a collection"),
        (name = "collections", description = "Collections and what they are configured for"),
        (name = "service", description = "The state of the service"),
    ),
    modifiers(&Token),
    security((), ("token" = [])),
)]
struct Description;

struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(bearer));
    }
}

/// The problems that any request may have.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "it is read by the OpenAPI document only")]
enum Problems {
    /// The request cannot be read.
    #[response(status = 400, content_type = "application/problem+json")]
    Malformed(#[to_schema] Problem),
    /// A token is needed, or it is not known.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(#[to_schema] Problem),
    /// The token may read only, or the service does not allow it.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(#[to_schema] Problem),
    /// There is no such collection or document.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(#[to_schema] Problem),
    /// It contradicts what is there.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(#[to_schema] Problem),
    /// It is larger than a limit.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(#[to_schema] Problem),
    /// The body is no JSON.
    #[response(status = 415, content_type = "application/problem+json")]
    MediaType(#[to_schema] Problem),
    /// The request asks for something that is not allowed.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(#[to_schema] Problem),
    /// There are too many requests at the same time.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(#[to_schema] Problem),
    /// The service is being stopped, the collection cannot be used, or it takes too long.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(#[to_schema] Problem),
}

/// The service, for a server or a test.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use server::{Options, State, app};
///
/// let options = Options::default().with_folder(Some(folder.path().join("collections")));
/// let router = app(State::open(&options)?);
/// # let _ = router;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn app(state: State) -> Router {
    let (inside, inside_document) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(collections::list))
        .routes(routes!(collections::get, collections::put, collections::delete))
        .routes(routes!(collections::stats))
        .routes(routes!(documents::list))
        .routes(routes!(documents::get, documents::put, documents::delete))
        .routes(routes!(search::query))
        .routes(routes!(search::check))
        .routes(routes!(search::compare))
        .routes(routes!(bulk::bulk))
        .routes(routes!(maintain::remove))
        .routes(routes!(maintain::compact))
        .routes(routes!(maintain::verify))
        .routes(routes!(maintain::expire))
        .routes(routes!(maintain::merge))
        .routes(routes!(maintain::backup))
        .routes(routes!(export::export))
        .routes(routes!(status::metrics))
        .split_for_parts();
    let inside = inside
        .route_layer(from_fn_with_state(state.clone(), repeats::once))
        .route_layer(from_fn_with_state(state.clone(), guard::enter));
    let (outside, mut document) =
        OpenApiRouter::new().routes(routes!(status::health)).routes(routes!(status::ready)).split_for_parts();
    document.merge(inside_document);
    document.info = Description::openapi().info;
    let docs: Router<State> = SwaggerUi::new("/docs").url("/openapi.json", document).into();
    Router::new()
        .merge(docs.route_layer(from_fn(documentation)))
        .route("/", get(page::html))
        .route("/page.css", get(page::css))
        .route("/page.js", get(page::js))
        .merge(outside)
        .merge(inside)
        .fallback(unknown_address)
        .method_not_allowed_fallback(unknown_method)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(state.clone(), guard::watch))
        // Bodies are read by `json::read`, with the limit of the options.
        .layer(DefaultBodyLimit::disable())
        .with_state(state)
}

/// The page for the OpenAPI document has styles inside its markup, and pictures inside its styles.
async fn documentation(request: axum::extract::Request, next: axum::middleware::Next) -> Response {
    let mut response = next.run(request).await;
    if response.status() == StatusCode::NOT_FOUND {
        return unknown_address().await.into_response();
    }
    let policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
        font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

async fn unknown_address() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "unknown-address", "there is nothing at this address")
        .advise("see /docs for the addresses; a `/` in an id is written as %2F")
}

async fn unknown_method() -> Problem {
    let detail = "this address has no such method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "unknown-method", detail).advise("see /docs for the methods")
}

fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    tracing::error!("a request panicked");
    Problem::internal("the request could not be finished; this is a fault of the service").into_response()
}
